import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  checkConfig,
  configToJson,
  formatProblem,
  hasErrors,
  maskTexts,
  messageOf,
  type Problem,
  Registry,
  type RegistrySource,
  readConfigFile,
  secretTexts,
  TEST_FILE,
} from '@headrace/engine';
import { boundProblems } from './bound-problems.ts';
import { configAnswer } from './config-answer.ts';
import type { ConfigRoot, ConfigSource } from './config-source.ts';

const EXTENSIONS = new Set(['.conf', '.json', '.hocon']);

/** A config from a file of the preset directory. */
export interface Preset extends ConfigSource {
  /** The name of the file, which is also the id of the config. */
  name: string;
  /** The resolved config as JSON with secrets masked. */
  answer: string;
  /** True if the config has no errors. */
  valid: boolean;
  /**
   * Why the file is not in use as it is: the config has an error, or the file has changed and has an error, so that the
   * config from before stays. Secrets are masked. Null without a problem.
   */
  problem: string | null;
}

export interface PresetOptions {
  env: Readonly<Record<string, string>>;
  /** The components that presets may use. Relative module paths are resolved from the preset directory. */
  registry: RegistrySource;
  warn(message: string): void;
}

/** The content of a file, parsed. */
export interface PresetFile {
  readonly name: string;
  readonly path: string;
  /** The resolved config, with its includes. Undefined if the text is not a config. */
  readonly root: ConfigRoot | undefined;
  readonly problems: readonly Problem[];
  /** Differs for different contents. It contains secrets, so it stays in memory. */
  readonly content: string;
}

/** Returns why the preset directory cannot be used, or undefined if it can. */
export function presetDirectoryProblem(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
  return `The preset directory ${path} (presetConfig.configDirectoryPath) is not a directory`;
}

/**
 * Reads the files of a directory that are presets, by name. Presets are trusted: they may use environment variables,
 * includes and modules.
 */
export async function readPresetFiles(
  directory: string,
  env: Readonly<Record<string, string>>,
): Promise<Map<string, PresetFile>> {
  const files = new Map<string, PresetFile>();
  for (const name of (await readdir(directory)).sort()) {
    if (!EXTENSIONS.has(extname(name)) || name.endsWith(TEST_FILE)) continue;
    const file = await readPresetFile(name, join(directory, name), env);
    if (file !== undefined) files.set(name, file);
    // Let the service answer requests between two files.
    await setImmediate();
  }
  return files;
}

async function readPresetFile(
  name: string,
  path: string,
  env: Readonly<Record<string, string>>,
): Promise<PresetFile | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined;
    const { root, problems } = readConfigFile(path, { env });
    const content = JSON.stringify([root === undefined ? null : configToJson(root), problems]);
    return { name, path, root, problems, content };
  } catch (error) {
    const message = `the file cannot be read: ${messageOf(error)}`;
    const problem: Problem = { severity: 'error', code: 'HR_SOURCE_UNREADABLE', path: '', message };
    return { name, path, root: undefined, problems: [problem], content: message };
  }
}

/**
 * Takes presets from their files. A file that cannot be read as a config is skipped, with a warning that gives the
 * position and the reason. A config with errors is loaded, with a warning for each error; its runs fail with these
 * errors. But if there was a config without errors before, it stays in use.
 * @param files the files to take, new or changed
 * @param before the presets in use
 */
export async function takePresets(
  files: Iterable<PresetFile>,
  before: ReadonlyMap<string, Preset>,
  { registry, warn }: PresetOptions,
): Promise<Preset[]> {
  const presets: Preset[] = [];
  const components = await Registry.open(registry);
  for (const { name, path, root, problems } of files) {
    const old = before.get(name);
    const isConfig = root !== undefined && !hasErrors(problems);
    const found = isConfig ? (await checkConfig(root, components)).problems : problems;
    const errors = boundProblems(found.filter(({ severity }) => severity === 'error'));
    const stays = old?.valid === true && errors.length > 0;
    const loads = isConfig && !stays;
    const what = stays
      ? 'has changed and is not valid, so the previous one stays'
      : loads
        ? 'is not valid'
        : 'is skipped';
    for (const problem of errors) warn(`Preset ${name} ${what}: ${formatProblem(problem, path)}`);
    const [first] = errors;
    const secrets = [root, old?.root].flatMap((each) => (each === undefined ? [] : secretTexts(each, true)));
    const problem = first === undefined ? null : maskTexts(withoutFolder(first, path), secrets);
    if (loads) {
      const valid = errors.length === 0;
      presets.push({ name, root, registry, trusted: true, size: 0, ...configAnswer(root), valid, problem });
    } else if (old !== undefined) presets.push({ ...old, problem });
    await setImmediate();
  }
  return presets;
}

/** Returns a problem as text, with paths relative to the preset directory: clients need not know where that is. */
function withoutFolder(problem: Problem, path: string): string {
  const file = problem.file === undefined ? basename(path) : relative(dirname(path), problem.file);
  return formatProblem({ ...problem, file });
}
