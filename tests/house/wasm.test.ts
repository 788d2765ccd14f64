import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './repository.ts';

/** Libraries that read files of others inside the service. */
const READERS = ['tesseract.js', 'tesseract.js-core', '@hyzyla/pdfium', 'unpdf'];
const MAX_MIB = 2048;

const filesOf = (name: string, pattern: string) =>
  globSync(`**/*.${pattern}`, { cwd: join(root, 'node_modules', name) }).map((file) =>
    join(root, 'node_modules', name, file),
  );

it.each(READERS)('%s has no native code, and no file system but one in memory', (name) => {
  expect(filesOf(name, '{js,mjs}').length).toBeGreaterThan(0);
  expect(['node', 'so', 'dll', 'dylib', 'exe'].flatMap((ending) => filesOf(name, ending))).toEqual([]);
  // The file systems of Emscripten that reach the files of the machine.
  expect(filesOf(name, '{js,mjs,cjs}').filter((file) => /NODERAWFS|NODEFS/.test(readFileSync(file, 'latin1')))).toEqual(
    [],
  );
});

it('each instance of the WebAssembly that reads images and PDF files has at most 2 GiB', () => {
  const modules = READERS.flatMap((name) => filesOf(name, 'wasm'));
  expect(modules.length).toBeGreaterThan(2);
  for (const file of modules) expect(maxMib(readFileSync(file)), file).toBeLessThanOrEqual(MAX_MIB);
});

/** Returns the maximum size of the memory of a module that has its own memory, see the format of WebAssembly. */
function maxMib(bytes: Buffer): number {
  const [MEMORY_SECTION, HAS_MAXIMUM, PAGES_A_MIB, HEADER_BYTES] = [5, 1, 16, 8];
  let at = HEADER_BYTES;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const section = bytes[at++];
    const end = number() + at;
    if (section === MEMORY_SECTION) {
      expect(number()).toBe(1);
      const flags = number();
      number();
      return (flags & HAS_MAXIMUM) === 0 ? Number.POSITIVE_INFINITY : number() / PAGES_A_MIB;
    }
    at = end;
  }
  return Number.POSITIVE_INFINITY;
}
