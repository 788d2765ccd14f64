import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './repository.ts';

/** What the build puts into the bundle, or replaces. */
interface KafkaClient {
  readonly LIBRARIES: readonly string[];
  readonly REPLACED: Readonly<Record<string, string>>;
}

const SCRIPT = 'scripts/lib/kafka-client.mjs';
const { LIBRARIES, REPLACED } = (await import(join(root, SCRIPT))) as KafkaClient;
const folder = join(root, 'node_modules/@platformatic/kafka/dist');
const modules = globSync('**/*.js', { cwd: folder }).map((file) => ({
  file,
  code: readFileSync(join(folder, file), 'utf8'),
}));
/** Loaded inside a function, and only if something needs them. Neither is in the bundle. */
const LOADED_LATER = ['@node-rs/crc32', 'protobufjs'];
const advice = (what: string) => `@platformatic/kafka has changed: ${what} See docs/contributing/libraries.md.`;

/** Returns what a replaced module exports by name. */
function namesOf(module: string): string[] {
  return Array.from((REPLACED[module] as string).matchAll(/export (?:class|const) (\w+)/g), ([, name = '']) => name);
}

it('the build knows every package that the Kafka client imports', () => {
  const imported = modules.flatMap(({ code }) =>
    Array.from(
      code.matchAll(/(?:\bfrom |^import |require\(|import\()['"]([^'".][^'"]*)['"]/gm),
      ([, name = '']) => name,
    ),
  );
  const foreign = [...new Set(imported)].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
  const isBundled = (name: string) => LIBRARIES.some((library) => name === library || name.startsWith(`${library}/`));
  const unknown = foreign.filter((name) => !isBundled(name) && !Object.hasOwn(REPLACED, name));
  expect(unknown.toSorted(), advice(`bundle or replace the new imports in ${SCRIPT}.`)).toEqual(LOADED_LATER);
  const unused = Object.keys(REPLACED).filter((name) => !foreign.includes(name));
  expect(unused, advice(`remove these from REPLACED in ${SCRIPT}.`)).toEqual([]);
});

it('a replaced module has all names that the Kafka client imports', () => {
  for (const { file, code } of modules) {
    for (const [, names = '', module = ''] of code.matchAll(/^import \{([^}]*)\} from ['"]([^'".][^'"]*)['"]/gm)) {
      if (!Object.hasOwn(REPLACED, module)) continue;
      const wanted = names.split(',').map((name) => name.trim().replace(/ as .*/, ''));
      expect(namesOf(module), advice(`add the names that ${file} imports from ${module} to ${SCRIPT}.`)).toEqual(
        expect.arrayContaining(wanted),
      );
    }
  }
});

it('the replaced validator has all methods that the Kafka client calls', () => {
  const calls = modules
    .filter(({ file }) => !file.startsWith('registries/'))
    .flatMap(({ code }) => Array.from(code.matchAll(/\bajv\.(\w+)\(/g), ([, name = '']) => name));
  const known = Array.from((REPLACED['ajv/dist/2020.js'] as string).matchAll(/^ {4}(\w+)\(/gm), ([, name]) => name);
  expect([...new Set(calls)].toSorted(), advice(`adapt the class Ajv2020 in ${SCRIPT}.`)).toEqual(known);
});

it('the Kafka client checks its options only if a client is strict, which Headrace does not set', () => {
  const base = modules.find(({ file }) => file === 'clients/base/base.js')?.code ?? '';
  const validate = /\[kValidateOptions\]\([^)]*\) \{[^}]*?\}/.exec(base)?.[0];
  expect(validate, advice('read kValidateOptions in clients/base/base.js.')).toContain('strict');
});
