import { EXIT } from './process/exit-code.ts';
import { sayError, writeOnlyJson } from './process/standard-error.ts';

const args = process.argv.slice(2);
if (args[0] === 'run' && !process.stderr.isTTY) writeOnlyJson();
endWithLauncher();
// They load while this thread reads the command line and the config: half of a run's start is loading. If there is no
// run in the end, they are not awaited.
if (args[0] === 'run') (await import('./commands/run-launcher.ts')).runThreads();
endWithReader();
const { commandLine } = await import('./cli/command-line.ts');
process.exitCode = await commandLine(args);

/** Under a launcher (scripts/start.mjs) this process ends with it, even when that one was killed. */
function endWithLauncher(): void {
  if (process.env['HEADRACE_LAUNCHED'] === undefined) return;
  delete process.env['HEADRACE_LAUNCHED'];
  process.on('disconnect', () => process.exit(EXIT.failed));
  process.channel?.unref();
}

/** `headrace … | head` ends quietly when `head` does. A lost log reader ends nothing. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    sayError(`standard output cannot be written: ${error.message}`);
    process.exit(EXIT.failed);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
