// The code of the Kafka client in the bundle. Each thread that reads or writes a topic loads it. The library consists
// of 300 modules, and compiles schemas and WebAssembly when it is loaded: 170 ms and 19 MiB of each thread. Headrace
// needs neither, so they are replaced. The rest is one file, which takes 15 ms and 7 MiB.
import { readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, sep } from 'node:path';

/** The library, and the libraries that it needs. `tests/house/kafka-client.test.ts` compares them with its imports. */
export const LIBRARIES = [
  '@platformatic/kafka',
  '@platformatic/dynamic-buffer',
  'debug',
  'fastq',
  'has-flag',
  'mnemonist',
  'ms',
  'obliterator',
  'reusify',
  'scule',
  'supports-color',
];

const UNUSED = 'export default {};';
/** The modules that the library imports and Headrace does not need, with the code in place of them. */
export const REPLACED = {
  // Only clients with the option `strict` check their options, and Headrace does not use it.
  'ajv/dist/2020.js': `export class Ajv2020 {
    addKeyword() {}
    compile() { return () => true; }
    errorsText() { return ''; }
  }`,
  // The schema registry needs these.
  ajv: `export class Ajv {}`,
  'ajv/dist/refs/json-schema-draft-06.json': UNUSED,
  'ajv-draft-04': UNUSED,
  avsc: UNUSED,
  // For messages in LZ4 or Snappy, and for checksums if @node-rs/crc32 is missing. Loaded when one is needed.
  '@platformatic/wasm-utils': `import { createRequire } from 'node:module';
    let library;
    const loaded = () => (library ??= createRequire(import.meta.url)('@platformatic/wasm-utils'));
    export const crc32c = (data) => loaded().crc32c(data);
    export const lz4Compress = (data) => loaded().lz4Compress(data);
    export const lz4Decompress = (data) => loaded().lz4Decompress(data);
    export const snappyCompress = (data) => loaded().snappyCompress(data);
    export const snappyDecompress = (data) => loaded().snappyDecompress(data);`,
};
/** Marks the ids of replaced modules. */
const MARK = '\0';
const FOLDER = join('node_modules', '@platformatic', 'kafka') + sep;

/** Returns whether a module, found by its name, belongs to the code of the client. */
export function isOfKafkaClient(name) {
  return isReplaced(name) || LIBRARIES.some((library) => name === library || name.startsWith(`${library}/`));
}

/** A plugin of the bundler that replaces what the client does not need. */
export const kafkaClient = {
  name: 'kafka-client',
  resolveId: (name, importer) => (isReplaced(name) && importer?.includes(FOLDER) ? `${MARK}${name}` : null),
  load: (id) =>
    id.startsWith(MARK) && isReplaced(id.slice(1)) ? { code: REPLACED[id.slice(1)], moduleType: 'js' } : null,
};

/**
 * Returns the licenses of the libraries in the bundle.
 * @param from a file from which they are found
 */
export function kafkaLicenses(from) {
  const texts = LIBRARIES.map((library) => {
    const folder = dirname(findPackageJSON(library, from));
    const file = readdirSync(folder).find((name) => /^license/i.test(name));
    return `${library}\n\n${readFileSync(join(folder, file), 'utf8')}`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

function isReplaced(name) {
  return Object.hasOwn(REPLACED, name);
}
