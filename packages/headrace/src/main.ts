import { EXIT } from './process/exit-code.ts';
import { sayError, writeOnlyJson } from './process/standard-error.ts';

const args = process.argv.slice(2);
if (args[0] === 'run' && !process.stderr.isTTY) writeOnlyJson();
endWithLauncher();
// Start loading the threads now, while this thread reads the command line and the config: loading is half of the start
// time of a run. If the command does not run anything, the process does not wait for the threads.
if (args[0] === 'run') {
  const mode = args.includes('--external') ? 'external' : args.includes('--distributed') ? 'distributed' : 'local';
  (await import('./commands/run-launcher.ts')).runThreads(mode);
}
endWithReader();
const { commandLine } = await import('./cli/command-line.ts');
process.exitCode = await commandLine(args);

/** Ends this process with its launcher (scripts/start.mjs), even if the launcher was killed. */
function endWithLauncher(): void {
  if (process.env['HEADRACE_LAUNCHED'] === undefined) return;
  delete process.env['HEADRACE_LAUNCHED'];
  process.on('disconnect', () => process.exit(EXIT.failed));
  process.channel?.unref();
}

/**
 * Ends the process quietly when the reader of its output ends, as in `headrace … | head`. A lost reader of the log does
 * not end the process, and neither does a closed terminal: it sends SIGHUP, and the command ends after its work.
 */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isClosedTerminal(process.stdout.isTTY, error)) return;
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    sayError(`standard output cannot be written: ${error.message}`);
    process.exit(EXIT.failed);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !isClosedTerminal(process.stderr.isTTY, error)) throw error;
  });
}

function isClosedTerminal(isTerminal: boolean, { code }: NodeJS.ErrnoException): boolean {
  return isTerminal && code === 'EIO';
}
