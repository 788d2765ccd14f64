import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { type ArgumentSpec, type CommandSpec, longFlag, type OptionSpec } from './command.ts';
import { commands } from './commands.ts';

const SCRIPTS: Readonly<Record<string, (specs: readonly CommandSpec[]) => string>> = { bash, zsh, fish };

/**
 * `headrace completion SHELL`: prints the completion script of a shell, which is generated from the table of commands.
 */
export async function completion([shell = '']: readonly (string | undefined)[]): Promise<number> {
  const script = SCRIPTS[shell];
  if (script === undefined)
    throw new CommandError(`The shell ${shell} is not supported: use bash, zsh or fish.`, EXIT.invalid);
  writeLines('stdout', script(commands).trimEnd().split('\n'));
  return EXIT.ok;
}

/** Returns the options of a command, including `--help`, which the table does not contain. */
function optionsOf(spec: CommandSpec): [flag: string, option: OptionSpec][] {
  const help: OptionSpec = { kind: 'flag', description: 'Print help.' };
  return Object.entries({ ...spec.options, help }).map(([name, option]) => [longFlag(name), option]);
}

function bash(specs: readonly CommandSpec[]): string {
  const cases = specs.map((spec) => {
    const flags = optionsOf(spec).map(([flag]) => flag);
    const [argument] = spec.arguments;
    return `    ${spec.name}) flags="${flags.join(' ')}"; words="${words(argument).join(' ')}"; files=${isFile(argument)} ;;`;
  });
  const valued = specs.flatMap((spec) => optionsOf(spec)).filter(([, option]) => option.kind !== 'flag');
  const fileFlags = valued.filter(([, option]) => option.completes === 'file').map(([flag]) => flag);
  const otherFlags = valued.filter(([, option]) => option.completes !== 'file').flatMap(withShort);
  return `# bash completion for headrace
_headrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" flags="" words="" files=false
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${specs.map((spec) => spec.name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "$previous" in
    ${[...new Set(fileFlags)].join('|')}) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${[...new Set(otherFlags)].join('|')}) return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif $files; then
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _headrace headrace
`;
}

function zsh(specs: readonly CommandSpec[]): string {
  const names = specs.map((spec) => `    ${quote(`${spec.name}:${spec.summary.replaceAll(':', '\\:')}`)}`);
  const cases = specs.map((spec) => {
    const lines = [
      ...optionsOf(spec).flatMap(([flag, option]) => zshOption(flag, option)),
      ...spec.arguments.map((argument) =>
        quote(
          `${argument.several === true ? '*' : argument.required ? '' : ':'}:${argument.name}:${zshValues(argument)}`,
        ),
      ),
    ];
    return `    ${spec.name}) _arguments ${lines.map((line) => `\\\n        ${line}`).join(' ')} ;;`;
  });
  return `#compdef headrace
_headrace() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _headrace headrace
`;
}

function zshOption(flag: string, option: OptionSpec): string[] {
  const text = option.description.replace(/[[\]:]/g, '\\$&');
  const repeat = option.kind === 'list' ? '*' : '';
  const value = option.kind === 'flag' ? '' : `:${option.value}:${zshValues(option)}`;
  return withShort([flag, option]).map((form) => quote(`${repeat}${form}[${text}]${value}`));
}

function zshValues(described: ArgumentSpec | OptionSpec): string {
  return isFile(described) ? '_files' : words(described).length > 0 ? `(${words(described).join(' ')})` : '';
}

function fish(specs: readonly CommandSpec[]): string {
  const lines = [
    '# fish completion for headrace',
    'complete -c headrace -f',
    ...specs.map((spec) => `complete -c headrace -n __fish_use_subcommand -a ${spec.name} -d ${quote(spec.summary)}`),
  ];
  for (const spec of specs) {
    const condition = `-n '__fish_seen_subcommand_from ${spec.name}'`;
    for (const argument of spec.arguments) {
      if (isFile(argument)) lines.push(`complete -c headrace ${condition} -F`);
      if (words(argument).length > 0)
        lines.push(`complete -c headrace ${condition} -a ${quote(words(argument).join(' '))}`);
    }
    for (const [flag, option] of optionsOf(spec)) {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      const value = option.kind === 'flag' ? '' : option.completes === 'file' ? ' -r -F' : ' -x';
      lines.push(
        `complete -c headrace ${condition} -l ${flag.slice(2)}${short}${value} -d ${quote(option.description)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function withShort([flag, option]: [string, OptionSpec]): string[] {
  return option.short === undefined ? [flag] : [flag, `-${option.short}`];
}

function isFile(described: ArgumentSpec | OptionSpec | undefined): boolean {
  return described?.completes === 'file';
}

function words(described: ArgumentSpec | OptionSpec | undefined): readonly string[] {
  return typeof described?.completes === 'object' ? described.completes : [];
}

/** Returns a text in single quotes. Except for a quote inside, bash, zsh and fish read such texts in the same way. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
