import { parseText } from '../parsing/parse-text.ts';
import type { Session } from '../parsing/session.ts';
import { TooMuchWork } from '../resolving/budget.ts';
import { layOverrides } from '../resolving/overrides.ts';
import { Resolver } from '../resolving/resolver.ts';
import { withoutUnresolved } from '../resolving/unresolved.ts';
import { checkText } from '../tree/arguments.ts';
import type { ObjectNode, PlainValue } from '../tree/node.ts';
import type { Problem } from '../tree/problem.ts';
import { ProblemList } from '../tree/problem.ts';
import { Marks } from '../tree/raw.ts';
import { toValue } from '../values/value.ts';
import { Includer } from './include.ts';
import { explainLanguage } from './other-language.ts';
import { checkOptions, limitsOf, type ParseOptions } from './parse-options.ts';

export interface ParseResult {
  /** The plain value of `root`. */
  value: { [key: string]: PlainValue };
  root: ObjectNode;
  /**
   * All problems. If there are none, the result is equal to that of the reference. Otherwise, the result contains the
   * parts that could be recovered.
   */
  problems: Problem[];
}

/**
 * Parses and resolves a text. Never throws because of the text, and never reads a file.
 * @throws ArgumentError for a text that is not a string, and for unknown options or options of the wrong type
 */
export function parse(text: string, options: ParseOptions = {}): ParseResult {
  checkText(text, 'the text');
  checkOptions(options);
  const limits = limitsOf(options);
  const session: Session = {
    limits,
    problems: new ProblemList(limits.problems),
    marks: new Marks(),
    marksWords: text.includes('${') || text.includes('+=') || options.include !== undefined,
    joinsAppends: options.resolve !== false,
    textLength: text.length,
    includedText: 0,
    files: 0,
    include: () => undefined,
  };
  const includer = new Includer(options.include ?? (() => undefined), session);
  session.include = (statement, from, prefix, origin) => includer.include(statement, from, prefix, origin);
  const { file, format = 'hocon' } = options;
  const parsed = parseText({ text, file, format, prefix: [], known: {} }, session);
  layOverrides(parsed, options.overrides, session);
  const root = finish(parsed, options, session);
  root.substituted = session.marks.substituted;
  if (session.marks.replaced.length > 0) root.replaced = session.marks.replaced;
  let value: ParseResult['value'] | undefined;
  return {
    // The plain value is created on demand, because many callers only need the tree.
    get value() {
      value ??= toValue(root) as ParseResult['value'];
      return value;
    },
    root,
    problems: explainLanguage(session.problems.list(), text, file, format),
  };
}

/** Resolves the tree. If resolving is turned off, removes the unresolved values. */
function finish(root: ObjectNode, options: ParseOptions, session: Session): ObjectNode {
  const { marks, problems } = session;
  if (!marks.isUnresolved(root)) return root;
  if (options.resolve !== false) {
    try {
      return new Resolver(root, session, options.env ?? {}).resolve();
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      const message = 'resolving the substitutions takes too much work';
      problems.add('too-much-work', root.origin, message, 'refer to values directly instead of through each other');
      return withoutUnresolved(root, marks, () => {});
    }
  }
  return withoutUnresolved(root, marks, (node) => {
    if (node.kind === 'broken') return;
    problems.add(
      'not-resolved',
      node.origin,
      'this value has substitutions that are not resolved',
      'resolve the config',
    );
  });
}
