import { commands } from '../cli/commands.ts';
import { EXIT } from '../cli/exit-code.ts';
import { createProgram } from '../cli/program.ts';

/** `headrace help [COMMAND]`: what `--help` prints. */
export async function help([name]: readonly (string | undefined)[]): Promise<number> {
  const program = createProgram(commands, () => undefined);
  const explained = program.commands.find((command) => command.name() === name) ?? program;
  explained.outputHelp();
  return EXIT.ok;
}
