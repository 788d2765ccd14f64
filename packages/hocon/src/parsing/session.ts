import type { Limits } from '../tree/limits.ts';
import type { ObjectNode, Origin } from '../tree/node.ts';
import type { ProblemList } from '../tree/problem.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import type { IncludeStatement } from './include-statement.ts';
import type { Recovery } from './parse-text.ts';

/** The state that all texts of one parse share: the main text and everything it includes. */
export interface Session {
  limits: Limits;
  problems: ProblemList;
  marks: Marks;
  /** Whether to record of every string that it was unquoted. Needed only if the text can refer to it. */
  marksWords: boolean;
  /** Whether `a += 1` over a plain list may be joined at once, because the result will be resolved. */
  joinsAppends: boolean;
  /** Characters in the main text, and in the included texts so far. */
  textLength: number;
  includedText: number;
  /** Files read through includes so far. */
  files: number;
  /** Reads and parses the text that an include statement names. Undefined if there is none. */
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
  /** Results of earlier readings of the same text. */
  known: { recovery?: Recovery };
  /** Called for every field, for editing. */
  onField?: (span: FieldSpan) => void;
}

/** The position of a field: offsets into the text. */
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
