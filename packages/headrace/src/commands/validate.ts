import {
  type AccessCheckRequest,
  checkConfig,
  hasErrors,
  inTextOrder,
  type Problem,
  type RegistrySource,
  readPipelineTests,
  SecretMask,
} from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import type { ObjectNode } from '@headrace/hocon';
import { type LoadedConfig, loadConfig, registrySource } from '../config/load-config.ts';
import { openRegistry } from '../config/open-registry.ts';
import { countProblems, problemLines } from '../config/print-problems.ts';
import { configOf, isTestFile } from '../config/test-file.ts';
import { EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { HEAP_MB } from './heap.ts';
import { readKafkaBlock } from './load-distributed.ts';

/** The time limit of the connection check. It is longer than the time limit that the engine sets for each component. */
const TIMEOUT_MILLIS = 30_000;

interface ValidateOptions {
  readonly set: readonly string[];
  readonly components: readonly string[];
  readonly connect: boolean;
  readonly json: boolean;
}

/** The problems of a config, with its name in messages. */
interface Verdict {
  readonly name: string;
  readonly valid: boolean;
  readonly problems: readonly Problem[];
}

/** `headrace validate CONFIG...`: reports all problems without running or writing anything. */
export async function validate(files: readonly (string | undefined)[], options: ValidateOptions): Promise<number> {
  const verdicts: Verdict[] = [];
  for (const file of files) {
    const verdict = await validateFile(file ?? '', options);
    verdicts.push(verdict);
    if (!options.json) writeLines('stdout', verdictLines(verdict));
  }
  const valid = verdicts.every((verdict) => verdict.valid);
  if (options.json) {
    const [first] = verdicts as [Verdict, ...Verdict[]];
    const configs = verdicts.map((verdict) => ({ config: verdict.name, ...verdictJson(verdict) }));
    const answer = verdicts.length === 1 ? verdictJson(first) : { valid, configs };
    writeLines('stdout', JSON.stringify(answer, null, 2).split('\n'));
  }
  return valid ? EXIT.ok : EXIT.invalid;
}

async function validateFile(file: string, options: ValidateOptions): Promise<Verdict> {
  const config = await loadConfig(file, options.set);
  const found = isTestFile(file) ? await findTestProblems(config, file) : await findProblems(config, file, options);
  // The answer of a server, or the path of a file, may contain a secret.
  const mask = config.root && new SecretMask(config.root, false);
  const problems = mask === undefined ? found : found.map((problem) => mask.failure(problem));
  return { name: config.name, valid: !hasErrors(problems), problems };
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
  const found = connect ? await checkAllAccess(root, source) : (await checkConfig(root, registry)).problems;
  return [...problems, ...inTextOrder([...found, ...(await findKafkaProblems(root, found))])];
}

/**
 * Returns what a distributed run would refuse, as warnings: a run in one process does not read this block.
 * @param found the problems so far, which may include missing settings and wrong types of the block
 */
async function findKafkaProblems(root: ObjectNode, found: readonly Problem[]): Promise<Problem[]> {
  if (root.entries.get('kafka')?.kind !== 'object') return [];
  const { problems } = await readKafkaBlock(root);
  const reported = new Set(found.map(({ path, message }) => `${path} ${message}`));
  return problems
    .filter(({ path, message }) => !reported.has(`${path} ${message}`))
    .map((problem) => ({ ...problem, severity: 'warning' }));
}

/** Returns the problems of a test file, which contains the tests of the config beside it. */
async function findTestProblems({ root, problems }: LoadedConfig, file: string): Promise<Problem[]> {
  if (root === undefined || hasErrors(problems)) return problems;
  const beside = configOf(file);
  if (beside !== undefined) {
    // Problems of that config are reported when it is validated itself.
    const config = (await loadConfig(beside, [])).root;
    return config === undefined ? problems : [...problems, ...readPipelineTests(root, config).problems];
  }
  const message = 'There is no config beside this file of tests';
  const hint = 'Give it the name of its config: films.test.conf is for films.conf.';
  return [...problems, { severity: 'error', code: 'HR_SOURCE_UNREADABLE', path: '', message, hint }];
}

/** Checks the connections in a thread. If a check hangs, it ends with the thread. */
async function checkAllAccess(root: AccessCheckRequest['root'], registry: RegistrySource): Promise<Problem[]> {
  const threads = new RunLauncher({ heapMb: HEAP_MB, keepWarm: false });
  try {
    return await threads.checkAccess({ root, registry, trusted: true }, TIMEOUT_MILLIS);
  } finally {
    await threads.close();
  }
}

function verdictLines({ name, valid, problems }: Verdict): string[] {
  return [...problemLines(problems, name), `${name}: ${valid ? 'valid' : 'invalid'} (${countProblems(problems)})`];
}

function verdictJson({ name, valid, problems }: Verdict) {
  return { valid, problems: problems.map((problem) => toJson(problem, name)) };
}

/** Returns a problem with its keys in the documented order. `file` is present only for an included file. */
function toJson({ severity, code, path, line, column, component, message, hint, ...rest }: Problem, config: string) {
  const file = rest.file === undefined || rest.file === config ? {} : { file: rest.file };
  return { severity, code, path, ...file, line, column, component, message, hint };
}
