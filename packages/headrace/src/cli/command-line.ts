import { CommanderError } from 'commander';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { sayError } from '../process/standard-error.ts';
import { commands } from './commands.ts';
import { explainLucilleCommand } from './lucille-command.ts';
import { createProgram } from './program.ts';

const UNKNOWN: readonly string[] = ['commander.unknownCommand', 'commander.unknownOption'];

/** Executes a command line. Returns the exit code. */
export async function commandLine(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  // Without its name, the help and the suggestions need all commands.
  const named = commands.filter(({ name }) => name === args[0]);
  const program = createProgram(named.length > 0 ? named : commands, (code) => {
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
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      const hint = UNKNOWN.includes(error.code) ? explainLucilleCommand(args) : undefined;
      if (hint !== undefined) sayError(hint);
      return EXIT.invalid;
    }
    if (!isExpected(error)) throw error;
    if (error instanceof CommandError) {
      sayError(error.message);
      return error.exitCode;
    }
    const { withHint } = await import('@headrace/engine/reading');
    sayError(withHint(error));
    return EXIT.failed;
  }
}

/**
 * Returns whether an error is expected: a `CommandError` or a `HeadraceError`. The latter is recognized by its code,
 * because many commands do not load the engine.
 */
function isExpected(error: unknown): error is Error & { hint?: string } {
  if (error instanceof CommandError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('HR_');
}
