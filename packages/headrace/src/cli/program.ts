import { readFileSync } from 'node:fs';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { writeLines } from '../process/output.ts';
import { type Action, type CommandSpec, longFlag, type OptionSpec } from './command.ts';

const MAX_PORT = 65_535;

/** Help, and messages about a wrong command line. */
const OUTPUT = {
  writeOut: (text: string) => writeLines('stdout', text.trimEnd().split('\n')),
  // A message contains words of the command line. A suggestion is in a second line.
  writeErr: (text: string) => writeLines('stderr', text.trimEnd().split(/\n(?=\(Did you mean )/)),
};

/** Creates the commander program from the table of commands. `onExitCode` receives the exit code of a command. */
export function createProgram(commands: readonly CommandSpec[], onExitCode: (code: number) => void): Command {
  const program = new Command('headrace')
    .description('Search ingest: reads sources, transforms documents in pipelines, writes to search engines and files.')
    .version(version(), '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print help.')
    .helpCommand(false)
    .addHelpText('after', '\nheadrace COMMAND --help explains a command.')
    .configureOutput(OUTPUT)
    .exitOverride();
  for (const spec of commands) program.addCommand(createCommand(spec, onExitCode));
  return program;
}

function createCommand(spec: CommandSpec, onExitCode: (code: number) => void): Command {
  const command = new Command(spec.name)
    .summary(spec.summary)
    .description(spec.details === undefined ? spec.summary : `${spec.summary}\n\n${spec.details}`)
    .helpOption('-h, --help', 'Print help.')
    // The descriptions already contain the values and defaults, so commander must not add them.
    .configureHelp({
      optionDescription: ({ description }) => description,
      argumentDescription: ({ description }) => description,
    })
    .addHelpText('after', `\nExamples:\n${spec.examples.map((example) => `  ${example}\n`).join('')}`)
    .configureOutput(OUTPUT)
    .exitOverride();
  for (const { name, required, several, description, completes } of spec.arguments) {
    const words = several === true ? `${name}...` : name;
    const argument = new Argument(required ? `<${words}>` : `[${words}]`, description);
    if (typeof completes === 'object') argument.choices(completes);
    command.addArgument(argument);
  }
  for (const [name, option] of Object.entries(spec.options)) command.addOption(createOption(name, option));
  return command.action(async () => {
    const action = (await spec.load()) as Action<never>;
    onExitCode(await action(command.processedArgs.flat() as (string | undefined)[], command.opts() as never));
  });
}

function createOption(name: string, { kind, short, value, description }: OptionSpec): Option {
  const flags = `${short === undefined ? '' : `-${short}, `}${longFlag(name)}`;
  const option = new Option(kind === 'flag' ? flags : `${flags} <${value}>`, description);
  if (kind === 'flag') return option.default(false);
  if (kind === 'list') {
    return option.default([]).argParser((text: string, before: readonly string[]) => [...before, text]);
  }
  if (kind === 'count') return option.argParser((text) => parseCount(text, Number.MAX_SAFE_INTEGER));
  return kind === 'port' ? option.argParser((text) => parseCount(text, MAX_PORT)) : option;
}

function parseCount(text: string, most: number): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > most) {
    const limit = most === MAX_PORT ? `from 1 to ${most}` : 'of at least 1';
    throw new InvalidArgumentError(`The value must be a whole number ${limit}.`);
  }
  return count;
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
