import { type RunOptions, runFile } from './run-file.ts';
import { runThreads } from './run-launcher.ts';

/** `headrace run CONFIG`: runs it to its end, or to the first signal. */
export async function run([file = '']: readonly (string | undefined)[], options: RunOptions): Promise<number> {
  const threads = runThreads();
  try {
    return await runFile(threads, file, options);
  } finally {
    await threads.close();
  }
}
