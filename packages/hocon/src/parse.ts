import { checkOptions, checkText } from './arguments.ts';
import { TooMuchWork } from './budget.ts';
import { fromValue } from './from-value.ts';
import type { IncludeLoader } from './include.ts';
import { Includer } from './include.ts';
import type { Limits } from './limits.ts';
import { defaultLimits } from './limits.ts';
import { layOver } from './merge.ts';
import type { ConfigNode, ObjectNode, Origin, PlainValue } from './node.ts';
import { parseText } from './parse-text.ts';
import { PathError, parsePath } from './path.ts';
import type { Problem } from './problem.ts';
import { ProblemList } from './problem.ts';
import type { PathEntry } from './properties.ts';
import { objectOfPaths } from './properties.ts';
import { Marks } from './raw.ts';
import { Resolver } from './resolver.ts';
import type { Format, Session } from './session.ts';
import { withoutUnresolved } from './unresolved.ts';
import { toValue } from './value.ts';

export interface ParseOptions {
  /** The whole environment that substitutions may fall back to; none by default. */
  env?: Record<string, string | undefined>;
  /** Resolve substitutions, true by default. */
  resolve?: boolean;
  /** Finds the texts of includes. Without it includes find nothing. */
  include?: IncludeLoader;
  /** The name of the text in positions. */
  file?: string;
  format?: Format;
  /** Path expressions with values that are laid over the text before it is resolved. Texts in them are just texts. */
  overrides?: Record<string, PlainValue>;
  limits?: Partial<Limits>;
}

export interface ParseResult {
  /** The plain value of `root`. */
  value: { [key: string]: PlainValue };
  root: ObjectNode;
  /** Everything that is wrong. When empty, the result is the reference's; else it is what could be saved. */
  problems: Problem[];
}

/**
 * Parses and resolves a text. Never throws for what stands in the text, never touches a file.
 *
 * @throws ArgumentError for a text that is no string, and for options that do not exist or are of the wrong type
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
  let value: ParseResult['value'] | undefined;
  return {
    // Made when it is first asked for: many callers need the tree only.
    get value() {
      value ??= toValue(root) as ParseResult['value'];
      return value;
    },
    root,
    problems: session.problems.list(),
  };
}

/** The limits, the default where none is given. */
function limitsOf(options: ParseOptions): Limits {
  const limits = { ...defaultLimits };
  for (const [name, limit] of Object.entries(options.limits ?? {})) {
    if (limit !== undefined) limits[name as keyof Limits] = limit;
  }
  return limits;
}

/** Lays the overrides over the text, as the reference does with system properties. */
function layOverrides(
  root: ObjectNode,
  overrides: Record<string, PlainValue> | undefined,
  { problems, limits, marks }: Session,
): void {
  if (overrides === undefined) return;
  const entries: PathEntry[] = [];
  for (const [i, [expression, value]] of Object.entries(overrides).entries()) {
    // Each override is a line of its own.
    const origin = { file: 'overrides', line: i + 1, column: 1 };
    try {
      const path = parsePath(expression);
      const node = fromValue(value, origin);
      if (path.length + depthOf(node) <= limits.depth) entries.push(...fieldsOf(path, node, origin));
      else problems.add('too-deep', origin, `values are nested more than ${limits.depth} deep`, 'nest them less');
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      const hint = 'write a.b.c, with double quotes around what is no plain word';
      problems.add('bad-override', origin, error.message, hint);
    }
  }
  layOver(objectOfPaths(entries, { file: 'overrides', line: 1, column: 1 }), root, marks);
}

/** An object is as good as its fields: it is merged with what is there. */
function* fieldsOf(path: string[], node: ConfigNode, origin: Origin): Generator<PathEntry> {
  if (node.kind !== 'object' || node.entries.size === 0) yield { path, node, origin };
  else for (const [key, child] of node.entries) yield* fieldsOf([...path, key], child, origin);
}

/** How deep a value is nested: 0 for one that holds no other. */
function depthOf(root: ConfigNode): number {
  let depth = -1;
  let level: ConfigNode[] = [root];
  while (level.length > 0) {
    depth++;
    level = level.flatMap((node) =>
      node.kind === 'object' ? [...node.entries.values()] : node.kind === 'list' ? node.items : [],
    );
  }
  return depth;
}

/** Resolves; or, where that is not wanted, leaves out what would have to be resolved. */
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
