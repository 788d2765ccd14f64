import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readServiceFile } from '@headrace/service';
import { afterAll, describe, expect, it } from 'vitest';
import { readText, repositoryFiles, root } from '../house/repository.ts';
import { type BuildStage, type Instruction, ignoredBy, readContainerfile } from './containerfile.ts';

/** Needs no container engine: the test reads the Containerfile, and runs its stages in folders. */

const run = promisify(execFile);
const MINUTES = 60_000;
const { parse: parseYaml } = createRequire(join(root, 'packages/service/package.json'))('yaml') as {
  parse(text: string): unknown;
};

/** Returns the settings of a service file of the image, read with another folder of presets. */
async function imageSettings(file = 'container/service.yml', more = '') {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-image-'));
  const text = readText(file) + more;
  const presets = /configDirectoryPath: (\S+)/.exec(text)?.[1] as string;
  try {
    writeFileSync(join(directory, 'service.yml'), text.replace(presets, directory));
    return { ...(await readServiceFile(join(directory, 'service.yml'))), presets };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const USERS = 'auth: { type: basicAuth, password: x }\n';

const stages = readContainerfile(readText('Containerfile'));
const [build, image] = stages as [BuildStage, BuildStage];
const isIgnored = ignoredBy(root);
const files = repositoryFiles().filter((path) => !isIgnored(path));

const all = (stage: BuildStage, name: string) => stage.instructions.filter((instruction) => instruction.name === name);
const the = (stage: BuildStage, name: string): Instruction => {
  const [found] = all(stage, name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return found;
};

describe('Containerfile', () => {
  it('has two stages from public images with name and tag, with the required Node version', () => {
    expect(stages).toHaveLength(2);
    const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: { node: string } };
    const needed = /\d+/.exec(devDependencies.node)?.[0];
    for (const { image } of stages) expect(image).toMatch(new RegExp(`^node:${needed}(\\.\\d+)*(-[a-z]+)?$`));
  });

  it('copies only existing files, and no build output of this machine', () => {
    const copied = stages.flatMap((stage) => all(stage, 'COPY')).filter(({ flags }) => flags['from'] === undefined);
    for (const { words } of copied) {
      const source = words[0] as string;
      if (source !== '.') expect(files).toContain(source);
    }
    for (const path of ['package-lock.json', '.npmrc', 'scripts/build.mjs', 'packages/headrace/bin/headrace.js']) {
      expect(files).toContain(path);
    }
    for (const path of ['.git/HEAD', 'node_modules/a', 'packages/engine/dist/a.js', 'packages/a/src/a.test.ts'])
      expect(isIgnored(path)).toBe(true);
  });

  it('copies all that the build reads outside packages: the projects of TypeScript, and examples for the catalog', () => {
    const { references } = JSON.parse(readText('tsconfig.json')) as { references: { path: string }[] };
    const examples = repositoryFiles().filter((path) => /^examples\/(connectors|indexers)\//.test(path));
    const needed = [...references.map(({ path }) => `${path}/tsconfig.json`), ...examples];
    expect(needed.length).toBeGreaterThan(references.length);
    expect(files).toEqual(expect.arrayContaining(needed));
  });

  it('runs only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const named = all(build, 'RUN').flatMap(({ text }) => /npm run (\S+)/.exec(text)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(scripts[name]).toBeDefined();
  });

  it('runs without root rights, and writes only to its volume', () => {
    expect(the(image, 'USER').text).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const after = image.instructions.slice(image.instructions.indexOf(the(image, 'USER')));
    expect(after.filter(({ name }) => name === 'RUN' || name === 'COPY')).toEqual([]);
    expect(the(image, 'VOLUME').text).toBe('/var/lib/headrace');
    expect(all(image, 'WORKDIR').at(-1)?.text).toBe('/var/lib/headrace');
  });

  it('does not start until the operator has configured users', async () => {
    const { settings, problems } = await imageSettings();
    expect(settings).toBeUndefined();
    expect(problems.map(({ code }) => code)).toEqual(['HR_SERVICE_UNPROTECTED']);
  });

  it('has a service file that is valid with users, and refers to existing files in the image', async () => {
    const { settings, problems, presets } = await imageSettings('container/service.yml', USERS);
    expect(problems).toEqual([]);
    expect(settings?.storage).toEqual({ type: 'sqlite', path: '/var/lib/headrace/store' });
    expect(settings?.listeners).toEqual([{ host: '0.0.0.0', port: Number(the(image, 'EXPOSE').text) }]);
    expect(
      all(image, 'RUN')
        .map(({ text }) => text)
        .join(),
    ).toContain(presets);
    const service = all(image, 'COPY').find(({ words }) => words[0] === 'container/service.yml');
    expect(the(image, 'CMD').words).toEqual(['serve', service?.words[1]]);
  });
});

describe('compose.yaml', () => {
  const { services, volumes } = parseYaml(readText('compose.yaml')) as {
    services: Record<string, Record<string, unknown>>;
    volumes: Record<string, unknown>;
  };

  it('names only existing files', () => {
    for (const { build: from, image: name, volumes: mounts = [] } of Object.values(services)) {
      expect(name).toMatch(/^[a-z-]+(\/[a-z-]+)?(:[\w.-]+)?$/);
      if (from !== undefined) expect(existsSync(join(root, (from as { dockerfile: string }).dockerfile))).toBe(true);
      for (const mount of mounts as string[]) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('.')) expect(statSync(join(root, source)).isDirectory()).toBe(!source.endsWith('.yml'));
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });

  it('runs the service without privileges, on a read-only file system, with time to shut down', async () => {
    const service = services['headrace'] as Record<string, unknown>;
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service['volumes']).toContain('./container/compose.yml:/etc/headrace/service.yml:ro');
    const { settings, problems } = await imageSettings('container/compose.yml');
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({ auth: 'none', storage: { path: '/var/lib/headrace/store' } });
    expect(Number.parseInt(String(service['stop_grace_period']), 10)).toBeGreaterThan(
      (settings?.shutdownGraceSeconds ?? Number.POSITIVE_INFINITY) + 6,
    );
    for (const port of Object.values(services).flatMap(({ ports = [] }) => ports as string[])) {
      expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });
});

describe('the image', () => {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-container-'));
  let service: ChildProcess | undefined;

  afterAll(() => {
    service?.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }, 10 * MINUTES);

  /** Returns the path on this machine of a file in the image. */
  const inImage = (path: string) => join(directory, 'image', path.startsWith('/') ? path : join('/opt/headrace', path));

  it('serves, is healthy and shuts down cleanly if it is built by the steps of the Containerfile', {
    timeout: 10 * MINUTES,
  }, async () => {
    const context = join(directory, 'build');
    for (const path of files) {
      mkdirSync(dirname(join(context, path)), { recursive: true });
      cpSync(join(root, path), join(context, path));
    }
    // `npm test` has installed and built with the same commands. Doing it again would take a minute of processor time.
    const [install, compile, ...others] = all(build, 'RUN').map(({ text }) => text);
    expect([install, compile]).toEqual(['npm ci --ignore-scripts --no-audit --no-fund', 'npm run build']);
    for (const path of builtFolders()) await share(path, context);
    const env = { ...process.env, npm_config_offline: 'true', npm_config_loglevel: 'error' };
    for (const text of others) await run('sh', ['-c', text], { cwd: context, env });
    for (const { flags, words } of all(image, 'COPY')) {
      const [source = '', target = ''] = words;
      const from = flags['from'] === 'build' ? join(context, source.replace('/build/', '')) : join(root, source);
      mkdirSync(dirname(inImage(target)), { recursive: true });
      if (flags['from'] === 'build') renameSync(from, inImage(target));
      else cpSync(from, inImage(target));
    }
    expect(existsSync(inImage('node_modules/vitest'))).toBe(false);
    expect(existsSync(inImage('node_modules/mssql'))).toBe(true);

    const store = join(directory, 'store');
    const text = readFileSync(inImage('/etc/headrace/service.yml'), 'utf8')
      .replace(/server: .*/, 'server: { host: 127.0.0.1, port: 0 }')
      .replace('/var/lib/headrace/store', store)
      .replace('/etc/headrace/presets', join(root, 'container/presets'));
    writeFileSync(join(directory, 'service.yml'), text);
    const [program, ...entry] = the(image, 'ENTRYPOINT').words;
    const args = [...entry, ...the(image, 'CMD').words].map((word) =>
      word === '/etc/headrace/service.yml'
        ? join(directory, 'service.yml')
        : word.startsWith('/')
          ? inImage(word)
          : word,
    );
    expect(program).toBe('node');
    const known = { HEADRACE_COMMIT: 'abc1234', HEADRACE_BUILD_TIME: '2026-01-01T00:00:00Z' };
    service = spawn(process.execPath, args, { cwd: directory, env: { ...process.env, ...known } });
    const url = await urlOf(service);

    const [, ...check] = the(image, 'HEALTHCHECK').words;
    const healthy = (where: string) =>
      run(
        process.execPath,
        check.map((word) => word.replace('http://127.0.0.1:8080', where)),
      );
    await healthy(url);
    await expect(healthy('http://127.0.0.1:1')).rejects.toThrow();
    expect(await (await fetch(`${url}/v1/version`)).json()).toMatchObject({
      commit: 'abc1234',
      buildTime: '2026-01-01T00:00:00Z',
    });
    expect(Object.keys((await (await fetch(`${url}/v1/config`)).json()) as object)).toEqual(['numbers.conf']);
    const ended = new Promise((resolve) => service?.once('exit', resolve));
    service.kill(the(image, 'STOPSIGNAL').text as NodeJS.Signals);
    expect(await ended).toBe(0);
  });
});

/** Returns the folders that `npm ci` and `npm run build` have made. */
function builtFolders(): string[] {
  const listed = execFileSync('git', ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => /^(node_modules|(packages|plugins)\/.*)\/$/.test(path));
}

/** Copies a folder of the repository, with hard links if possible. */
async function share(path: string, context: string): Promise<void> {
  const isLinkable = statSync(root).dev === statSync(context).dev;
  await run('cp', [isLinkable ? '-al' : '-a', join(root, path), join(context, dirname(path))]);
  // npm writes to this file, which it must not do through a link.
  const list = join(context, path, '.package-lock.json');
  if (!existsSync(list)) return;
  rmSync(list);
  cpSync(join(root, path, '.package-lock.json'), list);
}

/** Returns the URL of a service that was just started. */
function urlOf(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    service.stderr?.on('data', (data) => {
      said += data;
      const [, url] = /Headrace serves (http:\/\/[^"\s]+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
    service.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${said}`)));
  });
}
