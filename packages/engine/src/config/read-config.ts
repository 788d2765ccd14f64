import { type ObjectNode, type ParseOptions, parse, parseFile, type Problem as TextProblem } from '@headrace/hocon';
import type { ErrorCode } from '../errors/error-codes.ts';
import { inTextOrder, type Problem } from '../errors/problem.ts';

/** A parsed config: the tree, and the problems of the text. */
export interface ReadConfig {
  /** Undefined if the text does not contain an object. */
  root: ObjectNode | undefined;
  problems: Problem[];
}

/** The values from outside that a config may use. For an uploaded config, all options are absent. */
export interface ReadConfigOptions {
  /** The environment variables for substitutions such as `${NAME}`. */
  env?: Readonly<Record<string, string>>;
  /**
   * Values by path that override the text. The values are strings (`-s indexer.type=CSV`), or an object in JSON with
   * values of any type.
   */
  overrides?: Readonly<Record<string, string>> | string;
  format?: 'hocon' | 'json';
}

/**
 * Parses the text of a config that is not a file. Includes are errors, because there is no directory to search for
 * them.
 */
export function readConfigText(text: string, options: ReadConfigOptions = {}): ReadConfig {
  return toReadConfig(parse(text, { ...parseOptions(options), include: refuseInclude }));
}

/**
 * Converts the options for the parser. The parser reads JSON overrides itself, so that numbers are as exact as in a
 * config.
 */
function parseOptions({ overrides, ...options }: ReadConfigOptions): ParseOptions {
  if (overrides === undefined) return options;
  return {
    ...options,
    overrides: typeof overrides === 'string' ? parse(overrides, { format: 'json' }).value : { ...overrides },
  };
}

/** Rejects an include in a text that is not a file. A silently ignored include would cause confusion later. */
export function refuseInclude(): never {
  throw new Error('only config files may include other files');
}

/** Reads a config file and its includes. The file extension decides the syntax. */
export function readConfigFile(path: string, options: ReadConfigOptions = {}): ReadConfig {
  return toReadConfig(parseFile(path, parseOptions(options)));
}

const CODES: Readonly<Record<TextProblem['kind'], ErrorCode>> = {
  Parse: 'HR_CONFIG_SYNTAX',
  BadPath: 'HR_CONFIG_SYNTAX',
  Missing: 'HR_CONFIG_SYNTAX',
  Limit: 'HR_CONFIG_SYNTAX',
  NotResolved: 'HR_CONFIG_UNRESOLVED',
  UnresolvedSubstitution: 'HR_CONFIG_UNRESOLVED',
  IO: 'HR_CONFIG_INCLUDE',
  WrongType: 'HR_CONFIG_WRONG_TYPE',
  BadValue: 'HR_CONFIG_WRONG_TYPE',
  Null: 'HR_CONFIG_WRONG_TYPE',
};

function toReadConfig({ root, problems }: { root: ObjectNode; problems: readonly TextProblem[] }): ReadConfig {
  const gone = problems.some(({ code }) => code === 'root-not-object' || code === 'file-unreadable');
  return { root: gone ? undefined : root, problems: inTextOrder(problems.map(toProblem)) };
}

function toProblem({ code, kind, message, file, line, column, hint }: TextProblem): Problem {
  return {
    severity: 'error',
    code: codeOf(code, kind),
    path: '',
    ...(file === undefined ? {} : { file }),
    // A missing file has no line or column.
    ...(code === 'file-unreadable' ? {} : { line, column }),
    message,
    ...(hint === undefined ? {} : { hint: sentence(hint) }),
  };
}

function codeOf(code: TextProblem['code'], kind: TextProblem['kind']): ErrorCode {
  if (code === 'file-unreadable') return 'HR_SOURCE_UNREADABLE';
  return code === 'root-not-object' ? 'HR_CONFIG_NOT_AN_OBJECT' : CODES[kind];
}

/** Turns a hint of the parser into a sentence. The parser writes hints without a capital letter and a full stop. */
function sentence(clause: string): string {
  return `${clause[0]?.toUpperCase()}${clause.slice(1)}${/[.?!]$/.test(clause) ? '' : '.'}`;
}
