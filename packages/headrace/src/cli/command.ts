/** The values that completion suggests: files, or a fixed list. */
export type Completion = 'file' | readonly string[];

interface Described {
  readonly description: string;
  readonly completes?: Completion;
}

/** A positional argument. */
export interface ArgumentSpec extends Described {
  readonly name: string;
  readonly required: boolean;
  /** Whether it accepts all remaining arguments. Only for the last argument of a command. */
  readonly several?: true;
}

/**
 * An option. Its key in the table is its name in camel case: `dryRun` is `--dry-run`. A `flag` has no value, and a
 * `list` can be repeated. A `count` is a whole number of at least 1, and a `port` is one of at most 65535.
 */
export interface OptionSpec extends Described {
  readonly kind: 'flag' | 'text' | 'list' | 'count' | 'port';
  readonly short?: string;
  /** The name of the value in the help. All options except flags have one. */
  readonly value?: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

interface ValueByKind {
  flag: boolean;
  text: string | undefined;
  list: readonly string[];
  count: number | undefined;
  port: number | undefined;
}

/** The values of the options of a command, with the types from its table. */
export type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]: ValueByKind[O[K]['kind']] };

/** Executes a command. Returns the exit code. */
export type Action<O extends OptionSpecs> = (
  args: readonly (string | undefined)[],
  options: OptionValues<O>,
) => Promise<number>;

/** The description of a command, for parsing, help and completion. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly examples: readonly string[];
  readonly arguments: readonly ArgumentSpec[];
  readonly options: OptionSpecs;
  /** Loads the action of the command. The libraries of a command are loaded only here. */
  readonly load: () => Promise<Action<never>>;
}

/** Checks at compile time that the action of a command matches its options. */
export function command<const O extends OptionSpecs>(
  spec: Omit<CommandSpec, 'options' | 'load'> & { options: O; load: () => Promise<Action<O>> },
): CommandSpec {
  return spec as CommandSpec;
}

/** Returns the flag of an option: `dryRun` becomes `--dry-run`. */
export function longFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
