import { existsSync } from 'node:fs';
import { TEST_FILE } from '@headrace/engine';
import { STANDARD_INPUT } from './load-config.ts';

const CONFIG_EXTENSION = /\.(conf|json|hocon|properties)$/;
const CONFIG_EXTENSIONS = ['.conf', '.json', '.hocon', '.properties'];

export function isTestFile(file: string): boolean {
  return file.endsWith(TEST_FILE);
}

/** Returns the test file in the directory of a config, or undefined if it does not exist. */
export function testFileOf(config: string): string | undefined {
  if (config === STANDARD_INPUT) return undefined;
  const file = config.replace(CONFIG_EXTENSION, '') + TEST_FILE;
  return existsSync(file) ? file : undefined;
}

/** Returns the config of a test file in the same directory, or undefined if it does not exist. */
export function configOf(testFile: string): string | undefined {
  const name = testFile.slice(0, -TEST_FILE.length);
  return CONFIG_EXTENSIONS.map((extension) => name + extension).find((file) => existsSync(file));
}
