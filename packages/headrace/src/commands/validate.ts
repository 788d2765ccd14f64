import { checkConfig, hasErrors, type Problem, type ReachRequest, type RegistrySource } from '@headrace/engine';
import { RunThreads } from '@headrace/engine/threads';
import { EXIT } from '../cli/exit-code.ts';
import { type LoadedConfig, loadConfig, openRegistry, registrySource } from '../config/load-config.ts';
import { countProblems, problemLines } from '../config/print-problems.ts';
import { HEAP_MB } from './heap.ts';

/** Longer than the engine gives each component. */
const TIMEOUT_MILLIS = 30_000;

interface ValidateOptions {
  readonly set: readonly string[];
  readonly components: readonly string[];
  readonly connect: boolean;
  readonly json: boolean;
}

/** `headrace validate CONFIG`: everything that is wrong, found without running or writing anything. */
export async function validate(
  [file = '']: readonly (string | undefined)[],
  options: ValidateOptions,
): Promise<number> {
  const config = await loadConfig(file, options.set);
  const problems = await findProblems(config, file, options);
  const valid = !hasErrors(problems);
  const { name } = config;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ valid, problems: problems.map((p) => toJson(p, name)) }, null, 2)}\n`);
  } else {
    const verdict = valid ? 'valid' : 'invalid';
    process.stdout.write(`${problemLines(problems, name)}${name}: ${verdict} (${countProblems(problems)})\n`);
  }
  return valid ? EXIT.ok : EXIT.invalid;
}

async function findProblems(
  { root, problems }: LoadedConfig,
  file: string,
  { components, connect }: ValidateOptions,
): Promise<Problem[]> {
  if (root === undefined || hasErrors(problems)) return problems;
  const source = registrySource(file, components);
  const registry = await openRegistry(source);
  if ('severity' in registry) return [...problems, registry];
  const found = connect ? await reachAll(root, source) : (await checkConfig(root, registry)).problems;
  return [...problems, ...found];
}

/** Looks around in a thread: what hangs there ends with it. */
async function reachAll(root: ReachRequest['root'], registry: RegistrySource): Promise<Problem[]> {
  const threads = new RunThreads({ heapMb: HEAP_MB, keepWarm: false });
  try {
    return await threads.reach({ root, registry, trusted: true }, TIMEOUT_MILLIS);
  } finally {
    await threads.close();
  }
}

/** A problem with its keys in their documented order; `file` only for a text that the config includes. */
function toJson({ severity, code, path, line, column, component, message, hint, ...rest }: Problem, config: string) {
  const file = rest.file === undefined || rest.file === config ? {} : { file: rest.file };
  return { severity, code, path, ...file, line, column, component, message, hint };
}
