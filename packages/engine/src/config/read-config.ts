import { type ObjectNode, parse, parseFile, type Problem as TextProblem } from '@headrace/hocon';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Problem } from './problem.ts';

/** A config text that has been read: the tree, and what was wrong with the text. */
export interface ReadConfig {
  /** Undefined when the text does not give an object at all. */
  root: ObjectNode | undefined;
  problems: Problem[];
}

/** How much a config may see of its surroundings. Uploaded texts see nothing. */
export interface ReadConfigOptions {
  /** The environment for `${NAME}`. */
  env?: Readonly<Record<string, string>>;
  /** Values by path that win over the text: `-s indexer.type=CSV`. */
  overrides?: Readonly<Record<string, string>>;
  format?: 'hocon' | 'json';
}

/** Reads the text of a config that has no file: there is nothing that it could include, and ignoring that would surprise later. */
export function readConfigText(text: string, options: ReadConfigOptions = {}): ReadConfig {
  return toReadConfig(parse(text, { ...options, include: refuseInclude }));
}

function refuseInclude(): never {
  throw new Error('only config files may include others; put its content here');
}

/** Reads a config file with its includes. The file's extension decides the syntax. Throws when it cannot be read. */
export function readConfigFile(path: string, options: ReadConfigOptions = {}): ReadConfig {
  return toReadConfig(parseFile(path, options));
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
  return {
    root: problems.some((problem) => problem.code === 'root-not-object') ? undefined : root,
    problems: problems.map(({ code, kind, message, file, line, column, hint }) => ({
      severity: 'error',
      code: code === 'root-not-object' ? 'HR_CONFIG_NOT_AN_OBJECT' : CODES[kind],
      path: '',
      ...(file === undefined ? {} : { file }),
      line,
      column,
      message,
      ...(hint === undefined ? {} : { hint }),
    })),
  };
}
