import type { SevenZipModule, SevenZipModuleFactory } from '7z-wasm';
import { EncryptedFile, type FileInput, type FormatReader } from './format.ts';
import { reportInner } from './inner-problem.ts';

const ARCHIVE = '/archive';
const TARGET = '/files';
/** The memory that an archive may ask for to be unpacked, in MiB. */
const MEMORY = 256;

/** What the program says about encrypted files. */
const ENCRYPTED = /wrong password|encrypted (file|archive)/i;

/** The files of an archive, and why others could not be read. */
export interface Unpacked {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly problems: ReadonlyMap<string, string>;
}

/** Reads archives of 7-Zip and RAR: each file is read into the same text, after its name. */
export const readSevenZip: FormatReader = async (input, to) => {
  const { files, problems } = await unpack(input);
  for (const [name, bytes] of files) await input.readInner(bytes, name, to);
  for (const [name, reason] of problems) reportInner(to, name, reason);
};

/** Unpacks an archive in memory, each file with the first of the passwords that opens it. Throws if there is none. */
export async function unpack({ bytes, budget, options }: FileInput): Promise<Unpacked> {
  const files = new Map<string, Uint8Array>();
  let problems = new Map<string, string>();
  let reason = '';
  for (const password of ['', ...options.passwords]) {
    const archive = await SevenZip.open(bytes, password);
    const listed = archive.run('l', '-slt', '-ba');
    if (listed.reason !== undefined) {
      ({ reason } = listed);
      continue;
    }
    const sizes = Array.from(listed.output.matchAll(/^Size = (\d+)$/gm), ([, size]) => Number(size));
    budget.check(sizes.reduce((sum, size) => sum + size, 0));
    const unpacked = archive.run('x', '-y', `-o${TARGET}`, '-snl-', '-snh-');
    problems = unpacked.problems;
    for (const { name, bytes: content } of archive.files()) {
      if (problems.has(name) || files.has(name)) continue;
      budget.take(content.length);
      files.set(name, content);
    }
    for (const name of files.keys()) problems.delete(name);
    ({ reason = '' } = unpacked);
    if (![...problems.values()].some((problem) => ENCRYPTED.test(problem))) break;
  }
  const encrypted = new EncryptedFile(options.passwords);
  const explained = new Map(
    Array.from(problems, ([name, problem]) => [name, ENCRYPTED.test(problem) ? encrypted.message : problem]),
  );
  if (files.size > 0) return { files, problems: explained };
  if (ENCRYPTED.test(reason) || explained.values().some((problem) => problem === encrypted.message)) throw encrypted;
  const [first] = explained.values();
  if (first !== undefined || reason !== '') throw new Error(`it is damaged: ${first ?? reason}`);
  return { files, problems: explained };
}

/** The program 7-Zip, compiled to WebAssembly, with its own file system in memory. */
class SevenZip {
  readonly #module: SevenZipModule;
  readonly #lines: string[];
  readonly #errors: string[];
  readonly #password: string;

  private constructor(module: SevenZipModule, lines: string[], errors: string[], password: string) {
    this.#module = module;
    this.#lines = lines;
    this.#errors = errors;
    this.#password = password;
  }

  static async open(bytes: Uint8Array, password: string): Promise<SevenZip> {
    const { default: create } = (await import('7z-wasm')) as unknown as { default: SevenZipModuleFactory };
    const lines: string[] = [];
    const errors: string[] = [];
    const module = await create({
      print: (line) => void lines.push(line),
      printErr: (line) => void errors.push(line),
      // The end of the input: the program asks for a missing password.
      stdin: () => null as unknown as number,
    });
    module.FS.writeFile(ARCHIVE, bytes);
    module.FS.mkdir(TARGET);
    return new SevenZip(module, lines, errors, password);
  }

  /** Runs a command of the program. */
  run(command: string, ...switches: readonly string[]): SevenZipResult {
    this.#lines.length = this.#errors.length = 0;
    const more = ['-bsp0', '-sccUTF-8', `-smemx${MEMORY}m`, `-p${this.#password}`];
    let code: number;
    try {
      code = Number(this.#module.callMain([command, ...switches, ...more, ARCHIVE]));
    } catch {
      // The program ended early. It does so if a wrong password makes a list of files that is none.
      return { output: '', problems: new Map(), reason: 'Wrong password, or its list of files is damaged' };
    }
    const problems = new Map<string, string>();
    let reason = code === 0 ? undefined : `7-Zip ended with code ${code}`;
    for (const line of this.#errors) {
      const [, said = '', name] = /^(?:ERROR|WARNING): (.+?)(?: : (.+))?$/.exec(line.trim()) ?? [];
      if (name !== undefined && name !== ARCHIVE && !said.startsWith(ARCHIVE)) problems.set(name, said);
      else if (said !== '') reason = (name ?? said).replace(ARCHIVE, 'the file');
    }
    return { output: this.#lines.join('\n'), problems, reason };
  }

  files(folder = TARGET): { name: string; bytes: Uint8Array }[] {
    const { FS } = this.#module;
    return FS.readdir(folder).flatMap((name) => {
      if (name === '.' || name === '..') return [];
      const path = `${folder}/${name}`;
      const { mode } = FS.lstat(path);
      if (FS.isDir(mode)) return this.files(path);
      return FS.isFile(mode) ? [{ name: path.slice(TARGET.length + 1), bytes: FS.readFile(path) as Uint8Array }] : [];
    });
  }
}

interface SevenZipResult {
  readonly output: string;
  /** What is wrong with files, by their names. */
  readonly problems: Map<string, string>;
  /** What is wrong with the archive. */
  readonly reason: string | undefined;
}
