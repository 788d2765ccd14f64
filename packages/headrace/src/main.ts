import { CommanderError } from 'commander';
import { commands } from './cli/commands.ts';
import { CommandError, EXIT } from './cli/exit-code.ts';
import { createProgram } from './cli/program.ts';

endWithLauncher();
endWithReader();
process.exitCode = await main(process.argv.slice(2));

/** Carries out a command line. Gives the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(commands, (code) => {
    exitCode = code;
  });
  try {
    if (args.length === 0) {
      program.outputHelp();
      return EXIT.ok;
    }
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.invalid;
    if (!isExpected(error)) throw error;
    if (error instanceof CommandError) {
      console.error(`headrace: ${error.message}`);
      return error.exitCode;
    }
    const { withHint } = await import('@headrace/engine');
    console.error(`headrace: ${withHint(error)}`);
    return EXIT.failed;
  }
}

/** Ours, or a `HeadraceError`: known by its code, because the engine is not loaded for every command. */
function isExpected(error: unknown): error is Error & { hint?: string } {
  if (error instanceof CommandError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('HR_');
}

/** Under a launcher (bin/headrace.js on an old Node) this process ends with it, even when that one was killed. */
function endWithLauncher(): void {
  if (process.env['HEADRACE_LAUNCHED'] === undefined) return;
  delete process.env['HEADRACE_LAUNCHED'];
  process.on('disconnect', () => process.exit(EXIT.failed));
  process.channel?.unref();
}

/** `headrace … | head` ends quietly when `head` does. A lost log reader ends nothing. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.ok);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
