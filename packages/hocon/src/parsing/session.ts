import type { Limits } from '../tree/limits.ts';
import type { ObjectNode, Origin } from '../tree/node.ts';
import type { ProblemList } from '../tree/problem.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import type { IncludeStatement } from './include-statement.ts';
import type { Recovery } from './parse-text.ts';

/** What all texts of one parse share: the main text and everything it includes. */
export interface Session {
  limits: Limits;
  problems: ProblemList;
  marks: Marks;
  /** Whether to remember of every string that it was unquoted. Needed only when the text can refer to it. */
  marksWords: boolean;
  /** Whether `a += 1` over a plain list may be joined at once: the result is to be resolved. */
  joinsAppends: boolean;
  /** Characters in the main text, and in the included texts so far. */
  textLength: number;
  includedText: number;
  /** Files read through includes so far. */
  files: number;
  /** Reads and parses what an include statement names. Undefined when there is nothing. */
  include(statement: IncludeStatement, from: Source, prefix: string[], origin: Origin): ObjectNode | undefined;
}

export type Format = 'hocon' | 'json' | 'properties';

/** A text to be parsed. */
export interface Source {
  text: string;
  file: string | undefined;
  format: Format;
  /** The path at which the text was included. */
  prefix: string[];
  /** What earlier readings of the same text have found. */
  known: { recovery?: Recovery };
  /** Told of every field, for editing. */
  onField?: (span: FieldSpan) => void;
}

/** Where a field stands: offsets into the text. */
export interface FieldSpan {
  path: string[];
  /** Within a list, or the value of `+=`. */
  inList: boolean;
  /** Defined by `+=`. */
  appends: boolean;
  keyStart: number;
  valueStart: number;
  valueEnd: number;
  node: Raw;
}
