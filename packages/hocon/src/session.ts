import type { IncludeStatement } from './include-statement.ts';
import type { Limits } from './limits.ts';
import type { ObjectNode, Origin } from './node.ts';
import type { Source } from './parser.ts';
import type { ProblemList } from './problem.ts';
import type { Marks } from './raw.ts';

/** What all texts of one parse share: the main text and everything it includes. */
export interface Session {
  limits: Limits;
  problems: ProblemList;
  marks: Marks;
  /** Whether to remember which strings were unquoted. It shows only when the text can refer to them. */
  marksWords: boolean;
  /** Reads and parses what an include statement names. Undefined when there is nothing. */
  include(statement: IncludeStatement, from: Source, prefix: string[], origin: Origin): ObjectNode | undefined;
}
