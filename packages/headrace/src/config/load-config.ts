import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components/catalog';
import { type ReadConfig, type RegistrySource, readConfigFile, readConfigText } from '@headrace/engine/reading';
import { CommandError, EXIT } from '../process/exit-code.ts';

/** The name of standard input, where a file is expected. */
export const STANDARD_INPUT = '-';

/** A config that was read, and what it is called in messages. */
export interface LoadedConfig extends ReadConfig {
  readonly name: string;
}

/**
 * Reads a config file, or standard input, with the environment and the overrides of the command line. A file that
 * cannot be read is a problem like any other.
 *
 * @param settings `key=value` each
 * @throws CommandError for a setting without `=`
 */
export async function loadConfig(file: string, settings: readonly string[]): Promise<LoadedConfig> {
  const options = { env: environment(), overrides: parseSettings(settings) };
  if (file !== STANDARD_INPUT) return { ...readConfigFile(file, options), name: file };
  const { text } = await import('node:stream/consumers');
  return { ...readConfigText(await text(process.stdin), options), name: '<stdin>' };
}

/**
 * The components that a config may use: the built-in ones, those of the given modules, and, because it is the
 * user's own, those of modules that it names itself, relative to its directory.
 *
 * @param file the config; the working directory counts if there is none, or when it is standard input
 * @param modules paths from the working directory, or packages
 */
export function registrySource(file: string | undefined, modules: readonly string[]): RegistrySource {
  const directory = file === undefined || file === STANDARD_INPUT ? process.cwd() : dirname(resolve(file));
  return {
    catalogs: [catalogUrl],
    modules: modules.map(moduleSpecifier),
    base: pathToFileURL(`${directory}/`).href,
    allowModules: true,
  };
}

/** What was typed is relative to where it was typed, not to the config. */
function moduleSpecifier(module: string): string {
  const isPath = /^\.{1,2}[/\\]/.test(module) || isAbsolute(module) || existsSync(module);
  return isPath ? pathToFileURL(resolve(module)).href : module;
}

function parseSettings(settings: readonly string[]): Record<string, string> {
  const overrides: Record<string, string> = {};
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    if (equals <= 0) {
      throw new CommandError(`-s takes key=value, such as -s indexer.type=CSV, not "${setting}".`, EXIT.invalid);
    }
    overrides[setting.slice(0, equals).trim()] = setting.slice(equals + 1);
  }
  return overrides;
}

function environment(): Record<string, string> {
  const set = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(set);
}
