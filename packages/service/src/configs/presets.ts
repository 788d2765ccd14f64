import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  checkConfig,
  formatProblem,
  hasErrors,
  messageOf,
  Registry,
  type RegistrySource,
  readConfigFile,
  TEST_FILE,
} from '@headrace/engine';
import { boundProblems } from './bound-problems.ts';
import { configAnswer } from './config-answer.ts';
import type { ConfigSource } from './config-source.ts';

const EXTENSIONS = new Set(['.conf', '.json', '.hocon']);

/** A config from a file of the preset directory. */
export interface Preset extends ConfigSource {
  /** The name of the file, which is also the id of the config. */
  name: string;
  /** The resolved config as JSON with secrets masked. */
  answer: string;
}

export interface PresetOptions {
  env: Readonly<Record<string, string>>;
  /** The components that presets may use. Relative module paths are resolved from the preset directory. */
  registry: Omit<RegistrySource, 'base' | 'allowModules'>;
  warn(message: string): void;
}

/** Returns why the preset directory cannot be used, or undefined if it can. */
export function presetDirectoryProblem(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
  return `The preset directory ${path} (presetConfig.configDirectoryPath) is not a directory`;
}

/**
 * Reads the presets of a directory, by name. Presets are trusted: they may use environment variables, includes and
 * modules. A file that cannot be read as a config is skipped, with a warning that gives the position and the reason. A
 * config with errors is loaded, with a warning for each error; its runs fail with these errors.
 */
export async function loadPresets(directory: string, options: PresetOptions): Promise<Map<string, Preset>> {
  const presets = new Map<string, Preset>();
  const base = `${pathToFileURL(resolve(directory)).href}/`;
  const registry = { ...options.registry, base, allowModules: true };
  const components = await Registry.open(registry);
  for (const name of (await readdir(directory)).sort()) {
    const path = join(directory, name);
    if (!EXTENSIONS.has(extname(name)) || name.endsWith(TEST_FILE)) continue;
    try {
      if (!(await stat(path)).isFile()) continue;
      const { root, problems } = readConfigFile(path, { env: options.env });
      if (root === undefined || hasErrors(problems)) {
        for (const problem of boundProblems(problems))
          options.warn(`Preset ${name} is skipped: ${formatProblem(problem, path)}`);
        continue;
      }
      for (const problem of boundProblems((await checkConfig(root, components)).problems)) {
        if (problem.severity === 'error') options.warn(`Preset ${name} is not valid: ${formatProblem(problem, path)}`);
      }
      presets.set(name, { name, root, registry, trusted: true, size: 0, ...configAnswer(root) });
    } catch (error) {
      options.warn(`Preset ${name} is skipped: ${path} cannot be read: ${messageOf(error)}`);
    }
    // Let the service answer requests between two files.
    await setImmediate();
  }
  return presets;
}
