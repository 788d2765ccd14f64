import type { IncludeLoader } from './include.ts';
import { Includer } from './include.ts';
import type { Limits } from './limits.ts';
import { defaultLimits } from './limits.ts';
import type { ObjectNode, PlainValue } from './node.ts';
import { Parser } from './parser.ts';
import type { Problem } from './problem.ts';
import { ProblemList } from './problem.ts';
import { Marks } from './raw.ts';
import type { Session } from './session.ts';
import { toValue } from './value.ts';

export interface ParseOptions {
  /** The whole environment that substitutions may fall back to; none by default. */
  env?: Record<string, string>;
  /** Resolve substitutions, true by default. */
  resolve?: boolean;
  /** Finds the texts of includes. Without it includes find nothing. */
  include?: IncludeLoader;
  /** The name of the text in positions. */
  file?: string;
  format?: 'hocon' | 'json' | 'properties';
  /** Path expressions with string values that are laid over the text before it is resolved. */
  overrides?: Record<string, string>;
  limits?: Partial<Limits>;
}

export interface ParseResult {
  /** The plain value of `root`. */
  value: { [key: string]: PlainValue };
  root: ObjectNode;
  /** Everything that is wrong. When empty, the result is the reference's; else it is what could be saved. */
  problems: Problem[];
}

/** Parses and resolves a text. Never throws for what stands in the text, never touches a file. */
export function parse(text: string, options: ParseOptions = {}): ParseResult {
  const limits = { ...defaultLimits, ...options.limits };
  const session: Session = {
    limits,
    problems: new ProblemList(limits.problems),
    marks: new Marks(),
    marksWords: text.includes('${') || options.include !== undefined,
    include: () => undefined,
  };
  if (options.include !== undefined) {
    const includer = new Includer(options.include, session);
    session.include = (statement, from, prefix, origin) => includer.include(statement, from, prefix, origin);
  }
  const source = { text, file: options.file, json: options.format === 'json', prefix: [] };
  const root = new Parser(source, session).parse();
  return { value: toValue(root) as ParseResult['value'], root, problems: session.problems.list() };
}
