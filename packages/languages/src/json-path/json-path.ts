import type { MakeMatcher } from './filter-parser.ts';
import { pathFunctions } from './functions.ts';
import { PathParser } from './path-parser.ts';

/**
 * A compiled path. Objects are `Map`s, and lists are arrays. A whole double may be an object whose `valueOf` returns
 * the number. Every other object is an opaque scalar.
 */
export interface JsonPath<Value> {
  readonly path: string;
  /** True if the path has at most one result. An indefinite path always returns a list. */
  readonly definite: boolean;
  /**
   * Returns the result of the path in a document, never a copy. Undefined if a definite path has no result, or null if
   * a property is missing at the end of a path.
   */
  evaluate(root: Value): Value | undefined;
}

export interface JsonPathOptions<Value> {
  /** Creates a double for the results of `sum`, `avg` and similar functions. Without it, they are plain numbers. */
  readonly double?: (value: number) => Value;
  /** Compiles the expression of `=~` to a test of a whole text. Without it, they are JavaScript expressions. */
  readonly regex?: MakeMatcher;
}

/**
 * Compiles a path of the Jayway JsonPath dialect, with the behaviour of the Jayway options DEFAULT_PATH_LEAF_TO_NULL
 * and SUPPRESS_EXCEPTIONS.
 * @throws JsonPathError with the position in the path
 */
export function compileJsonPath<Value>(path: string, options: JsonPathOptions<Value> = {}): JsonPath<Value> {
  const functions = pathFunctions(options.double ?? ((value) => value));
  const compiled = new PathParser(functions, options.regex ?? matchWhole).parse(path);
  return {
    path,
    definite: compiled.definite,
    evaluate: (root) => compiled.evaluate(root, root) as Value | undefined,
  };
}

// Java flags with the same meaning in JavaScript, and flags that have no effect on a test of a whole text.
const SAME_FLAGS = 'ims';
const IDLE_FLAGS = 'uUd';

function matchWhole(pattern: string, flags: string): (text: string) => boolean {
  const known = [...flags].filter((flag) => !IDLE_FLAGS.includes(flag));
  const unknown = known.find((flag) => !SAME_FLAGS.includes(flag));
  if (unknown !== undefined) throw new Error(`the flag ${unknown} is not supported`);
  // Lookarounds replace ^ and $, which the flag m would change.
  const regex = new RegExp(`(?<![^])(?:${pattern})(?![^])`, [...new Set(known)].join(''));
  return (text) => regex.test(text);
}
