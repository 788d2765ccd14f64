import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { readPages } from '../docs/page.ts';

export const run = promisify(execFile);
export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The files of an export: its types and its code. */
interface ExportedFiles {
  readonly types: string;
  readonly default: string;
}

/** A package of the repository as `npm pack` created it. */
export interface PackedPackage {
  readonly manifest: {
    readonly name: string;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly exports: Readonly<Record<string, ExportedFiles & { readonly browser?: ExportedFiles }>>;
  };
  /** The paths of the files in the tarball. */
  readonly files: readonly string[];
  readonly tarball: string;
}

/** The folders of the published packages, such as `packages/engine`. */
export const packages = publishedIn('packages');

/** The folders of the plugins, such as `plugins/parquet`. */
export const plugins = publishedIn('plugins');

function publishedIn(parent: string): string[] {
  const folders = readdirSync(join(repository, parent)).map((name) => `${parent}/${name}`);
  return folders.filter((folder) => {
    const manifest = readFileSync(join(repository, folder, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { private?: boolean }).private !== true;
  });
}

/**
 * Packs a copy of each package. Packing changes the folder of `headrace` for a while, and other tests read it.
 *
 * @param wanted folders of packages and plugins
 */
export async function packPackages(directory: string, wanted: readonly string[]): Promise<PackedPackage[]> {
  const copy = join(directory, 'repository');
  const filter = (path: string) => !path.includes('.test.');
  for (const folder of [...packages, ...plugins]) {
    for (const part of ['package.json', 'README.md', 'LICENSE', 'dist', 'bundle', 'bin']) {
      const from = join(repository, folder, part);
      if (existsSync(from)) cpSync(from, join(copy, folder, part), { recursive: true, filter });
    }
  }
  cpSync(join(repository, 'scripts/pack'), join(copy, 'scripts/pack'), { recursive: true });
  const folders = wanted.map((folder) => join(copy, folder));
  const manifests = () => folders.map((folder) => readFileSync(join(folder, 'package.json'), 'utf8'));
  const before = manifests();
  const { stdout } = await run('npm', ['pack', '--silent', '--json', ...folders], {
    cwd: copy,
    maxBuffer: 64 * 1024 ** 2,
  });
  expect(manifests()).toEqual(before);
  const reports = JSON.parse(stdout) as { name: string; filename: string; files: { path: string }[] }[];
  return before.map((text) => {
    const manifest = JSON.parse(text) as PackedPackage['manifest'];
    const report = reports.find(({ name }) => name === manifest.name);
    if (report === undefined) throw new Error(`npm pack reports no ${manifest.name}`);
    return { manifest, files: report.files.map(({ path }) => path), tarball: join(copy, report.filename) };
  });
}

/** Links an installed library into the `node_modules` of a folder. */
function linkLibrary(name: string, installed: NodeJS.Require, folder: string): void {
  const found = installed.resolve
    .paths(name)
    ?.map((path) => join(path, name))
    .find(existsSync);
  if (found === undefined) throw new Error(`${name} is not installed`);
  const link = join(folder, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(found, link);
}

/** A test project outside the repository, as a user would have it. */
export class Project {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path);
    writeFileSync(join(path, 'package.json'), '{"name":"project","private":true,"type":"module"}');
  }

  /** @param specifiers tarballs, or names of packages */
  async install(...specifiers: readonly string[]): Promise<void> {
    await this.run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...specifiers]);
  }

  /**
   * Unpacks packages, and links the libraries of their manifests from the repository, which takes npm ten seconds of
   * processor time. Each package finds only the packages of the project and the libraries that its own manifest names.
   *
   * @param names further packages for the project
   */
  async link(packages: readonly PackedPackage[], ...names: readonly string[]): Promise<void> {
    for (const { manifest, tarball } of packages) {
      const folder = join(this.path, 'node_modules', manifest.name);
      mkdirSync(folder, { recursive: true });
      await this.run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
      const installed = createRequire(join(repository, 'packages', manifest.name.replace('@headrace/', ''), 'a.js'));
      for (const library of Object.keys(manifest.dependencies ?? {})) {
        if (!library.startsWith('@headrace/')) linkLibrary(library, installed, folder);
      }
    }
    for (const name of names) linkLibrary(name, createRequire(join(repository, 'a.js')), this.path);
  }

  /** The path of the installed `headrace` command. Started by `npx`, each command would also start npm. */
  get program(): string {
    return join(this.path, 'node_modules/.bin/headrace');
  }

  /** Runs the installed `headrace` command and returns its standard output. */
  headrace(...args: readonly string[]): Promise<string> {
    return this.run(this.program, args);
  }

  /** Runs a command and returns its standard output. */
  async run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { stdout } = await run(command, args, { cwd: this.path, env: { ...process.env, ...env } });
    return stdout;
  }

  /** Runs a command that must fail. */
  async fail(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const failed = this.run(command, args, env).then(
      (stdout) => {
        throw new Error(`${command} ${args.join(' ')} did not fail: ${stdout}`);
      },
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    const { code, stdout, stderr } = await failed;
    return { code, stdout, stderr };
  }

  /**
   * Compiles the TypeScript examples of pages in strict mode. Throws if the compiler reports an error.
   * @param pages paths in the repository
   */
  async compileExamples(...pages: readonly string[]): Promise<number> {
    const examples = pages.flatMap((path) => examplesOf(path));
    mkdirSync(join(this.path, 'src'));
    for (const { name, text } of examples) writeFileSync(join(this.path, 'src', name), text);
    const compilerOptions = {
      strict: true,
      target: 'es2024',
      module: 'nodenext',
      types: ['node'],
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(this.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const tsc = join(repository, 'node_modules/.bin/tsc');
    const complaints = await this.run(tsc, ['-p', '.']).catch((error: { stdout: string }) => error.stdout);
    expect(complaints).toBe('');
    return examples.length;
  }
}

/** Returns the TypeScript blocks of a page, named by the page and the line. */
function examplesOf(path: string): { name: string; text: string }[] {
  const [file = ''] = path.split('/').slice(-1);
  const page = readPages(join(repository, path.slice(0, -file.length))).find(({ name }) => name === file);
  return (page?.blocks ?? [])
    .filter(({ language }) => language === 'ts')
    .map(({ text, line }) => ({ name: `${path.replaceAll(/[/.]/g, '-')}-${line}.ts`, text }));
}
