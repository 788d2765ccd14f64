import type { Limits } from '../tree/limits.ts';
import type { ObjectNode, Origin } from '../tree/node.ts';
import type { ProblemList } from '../tree/problem.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import type { IncludeStatement } from './include-statement.ts';
import type { Recovery } from './parse-text.ts';

/** The state that all texts of one parse share: the main text and its includes. */
export interface Session {
  limits: Limits;
  problems: ProblemList;
  marks: Marks;
  /** True to mark unquoted strings. Only needed if a substitution can refer to a string. */
  marksWords: boolean;
  /** True if `a += 1` after a plain list may be joined immediately, because the result will be resolved. */
  joinsAppends: boolean;
  /** The number of characters in the main text, and in the included texts so far. */
  textLength: number;
  includedText: number;
  /** The number of included files so far. */
  files: number;
  /** Reads and parses the text of an include statement. Returns undefined if it does not exist. */
  include(statement: IncludeStatement, from: Source, prefix: string[], origin: Origin): ObjectNode | undefined;
}

export type Format = 'hocon' | 'json' | 'properties';

/** A text to be parsed. */
export interface Source {
  text: string;
  file: string | undefined;
  format: Format;
  /** The path at which the text is included. */
  prefix: string[];
  /** The results of earlier readings of the same text. */
  known: { recovery?: Recovery };
  /** Called for every field. Used by `setValue`. */
  onField?: (span: FieldSpan) => void;
}

/** The position of a field, as offsets in the text. */
export interface FieldSpan {
  path: string[];
  /** True if the field is in a list, or in the value of `+=`. */
  inList: boolean;
  /** True if the field is defined with `+=`. */
  appends: boolean;
  keyStart: number;
  valueStart: number;
  valueEnd: number;
  node: Raw;
}
