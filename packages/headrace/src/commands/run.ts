import { type RunOptions, runFile } from './run-file.ts';
import { runThreads } from './run-launcher.ts';

/** `headrace run CONFIG`: runs the config until it ends or a signal stops it. */
export async function run([file = '']: readonly (string | undefined)[], options: RunOptions): Promise<number> {
  const threads = runThreads();
  try {
    return await runFile(threads, file, options);
  } finally {
    await threads.close();
  }
}
