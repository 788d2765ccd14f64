import { type RunOptions, runFile } from './run-file.ts';
import { runThreads } from './run-launcher.ts';

/** How long the process waits for what is still active at its end. */
const LEFT_ACTIVE_MILLIS = 1000;

/** `headrace run CONFIG`: runs the config until it ends or a signal stops it. */
export async function run([file = '']: readonly (string | undefined)[], options: RunOptions): Promise<number> {
  const threads = runThreads();
  try {
    return await runFile(threads, file, options);
  } finally {
    await threads.close();
    // The roles of an external run use the main thread. What a component has left active there, such as a connection
    // or a timer, must not keep the process.
    if (options.external) setTimeout(() => process.exit(), LEFT_ACTIVE_MILLIS).unref();
  }
}
