import { hasErrors } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { loadConfig, registrySource } from '../config/load-config.ts';
import { writeProblems } from '../config/print-problems.ts';
import { EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { HEAP_MB } from './heap.ts';

const TIMEOUT_MILLIS = 60_000;

interface RollbackOptions {
  readonly set: readonly string[];
  readonly components: readonly string[];
}

/** `headrace rollback CONFIG`: puts the previous output of a config into use again. */
export async function rollback(
  [file = '']: readonly (string | undefined)[],
  options: RollbackOptions,
): Promise<number> {
  const { root, problems, name } = await loadConfig(file, options.set);
  writeProblems(problems, name);
  if (root === undefined || hasErrors(problems)) return EXIT.invalid;
  const threads = new RunLauncher({ heapMb: HEAP_MB, keepWarm: false });
  try {
    const request = { root, registry: registrySource(file, options.components), trusted: true };
    writeLines('stdout', [await threads.rollback(request, TIMEOUT_MILLIS)]);
    return EXIT.ok;
  } finally {
    await threads.close();
  }
}
