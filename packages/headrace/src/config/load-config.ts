import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedCatalogs } from '@headrace/components/catalog';
import { type ReadConfig, type RegistrySource, readConfigFile, readConfigText } from '@headrace/engine/reading';
import { CommandError, EXIT } from '../process/exit-code.ts';

/** The name of standard input, where a file is expected. */
export const STANDARD_INPUT = '-';

/** A config that was read, with its name in messages. */
export interface LoadedConfig extends ReadConfig {
  readonly name: string;
}

/**
 * Reads a config file, or standard input, with the environment and the overrides of the command line. An unreadable
 * file is reported as a problem.
 *
 * @param settings the overrides, each as `key=value`
 * @throws CommandError for a setting without `=`
 */
export async function loadConfig(file: string, settings: readonly string[]): Promise<LoadedConfig> {
  const options = { env: environment(), overrides: parseSettings(settings) };
  if (file !== STANDARD_INPUT) return { ...readConfigFile(file, options), name: file };
  const { text } = await import('node:stream/consumers');
  return { ...readConfigText(await text(process.stdin), options), name: '<stdin>' };
}

/**
 * Returns the components that a config may use: the built-in ones, those of the given modules, and those of modules
 * that the config names. Such modules are allowed because the config belongs to the user. Their paths are relative to
 * the directory of the config.
 *
 * @param file the config. Without a file, or for standard input, the working directory is used.
 * @param modules paths relative to the working directory, or packages
 */
export function registrySource(file: string | undefined, modules: readonly string[]): RegistrySource {
  const directory = file === undefined || file === STANDARD_INPUT ? process.cwd() : dirname(resolve(file));
  return {
    catalogs: installedCatalogs(),
    modules: modules.map(moduleSpecifier),
    base: pathToFileURL(`${directory}/`).href,
    allowModules: true,
  };
}

/**
 * Returns the specifier of a module from the command line. Its path is relative to the working directory, not to the
 * config.
 */
function moduleSpecifier(module: string): string {
  const isPath = /^\.{1,2}[/\\]/.test(module) || isAbsolute(module) || existsSync(module);
  return isPath ? pathToFileURL(resolve(module)).href : module;
}

function parseSettings(settings: readonly string[]): Record<string, string> {
  const overrides: Record<string, string> = {};
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    if (equals <= 0) {
      throw new CommandError(`-s needs key=value, such as -s indexer.type=CSV, not "${setting}".`, EXIT.invalid);
    }
    overrides[setting.slice(0, equals).trim()] = setting.slice(equals + 1);
  }
  return overrides;
}

function environment(): Record<string, string> {
  const set = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(set);
}
