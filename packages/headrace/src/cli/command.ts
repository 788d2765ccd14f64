/** What completion offers for a value: files, directories, or a fixed list. */
export type Completion = 'file' | readonly string[];

interface Described {
  readonly description: string;
  readonly completes?: Completion;
}

/** A positional argument. */
export interface ArgumentSpec extends Described {
  readonly name: string;
  readonly required: boolean;
  /** Takes all arguments that are left; the last of a command only. */
  readonly several?: true;
}

/**
 * An option. Its key in the table is its name in camel case: `dryRun` is `--dry-run`. A `flag` takes no value, a
 * `list` may be given several times.
 */
export interface OptionSpec extends Described {
  readonly kind: 'flag' | 'text' | 'list' | 'count';
  readonly short?: string;
  /** What the value is called in the help; every option but a flag has one. */
  readonly value?: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

interface ValueByKind {
  flag: boolean;
  text: string | undefined;
  list: readonly string[];
  count: number | undefined;
}

/** The values of a command's options, as its table describes them. */
export type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]: ValueByKind[O[K]['kind']] };

/** Carries a command out. Gives the exit code. */
export type Action<O extends OptionSpecs> = (
  args: readonly (string | undefined)[],
  options: OptionValues<O>,
) => Promise<number>;

/** Everything that parsing, help and completion know of a command. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly examples: readonly string[];
  readonly arguments: readonly ArgumentSpec[];
  readonly options: OptionSpecs;
  /** Loads what carries it out; only then the libraries that the command needs. */
  readonly load: () => Promise<Action<never>>;
}

/** Checks the types between a command's options and its action. */
export function command<const O extends OptionSpecs>(
  spec: Omit<CommandSpec, 'options' | 'load'> & { options: O; load: () => Promise<Action<O>> },
): CommandSpec {
  return spec as CommandSpec;
}

/** The option as it is typed: `dryRun` is `--dry-run`. */
export function longFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
