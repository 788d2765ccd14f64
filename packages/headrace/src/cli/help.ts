import { EXIT } from '../process/exit-code.ts';
import { commands } from './commands.ts';
import { createProgram } from './program.ts';

/** `headrace help [COMMAND]`: prints the same as `--help`. */
export async function help([name]: readonly (string | undefined)[]): Promise<number> {
  const program = createProgram(commands, () => undefined);
  const explained = program.commands.find((command) => command.name() === name) ?? program;
  explained.outputHelp();
  return EXIT.ok;
}
