import jsonata from 'jsonata';
import { Compiler } from './compile.ts';
import type { Library } from './functions.ts';
import { type Item, Sequence } from './items.ts';
import { clonePlain, PlainData } from './plain.ts';
import { type CompileRegex, nativeRegex, Regexes } from './regexes.ts';
import { type Evaluate, Scope } from './scope.ts';
import { LeftToLibrary, type Syntax } from './syntax.ts';
import { copyValue, type JsonObject, type Value } from './values.ts';

export type { CompileRegex, Match, Regex } from './regexes.ts';
export type { Double, JsonObject, Value } from './values.ts';

/** The time limit of an expression in milliseconds. */
const TIMEOUT_MS = 10_000;
/** The recursion limit of an expression. */
const MAX_DEPTH = 5_000;

/** A compiled expression. It has no state between evaluations. */
export interface Jsonata {
  /**
   * Returns the result of the expression for a value, or undefined for no result. The result shares nothing with the
   * input. It is a promise only if the library is used, which is asynchronous.
   * @throws Error, or rejects with one, that describes the problem
   */
  evaluate(input: Value): Value | undefined | Promise<Value | undefined>;
  /** True if this package evaluates ordinary values. Otherwise the library evaluates all values. */
  readonly direct: boolean;
}

/**
 * Compiles a JSONata expression.
 * The parser of the library creates the syntax tree. Its evaluator creates a promise for each node and converts all
 * values, which takes ten times as long as the other stages of a document together. So this package evaluates ordinary
 * expressions directly on the values. The library evaluates unusual cases, including errors.
 * @param compileRegex compiles the regular expressions of the expression; by default as in JavaScript
 * @throws Error that describes the problem and its position
 */
export async function compileJsonata(expression: string, compileRegex: CompileRegex = nativeRegex): Promise<Jsonata> {
  const regexes = new Regexes(compileRegex);
  let library: ReturnType<typeof jsonata>;
  try {
    library = jsonata(expression, {
      RegexEngine: regexes.forLibrary(),
      timeout: TIMEOUT_MS,
      stack: MAX_DEPTH,
    });
  } catch (error) {
    throw readable(error);
  }
  const syntax = library.ast() as Syntax;
  checkRegexes(syntax, regexes);
  library.registerFunction('base64encode', (text: string) => text && Buffer.from(text).toString('base64'), '<s-:s>');
  library.registerFunction('base64decode', (text: string) => text && Buffer.from(text, 'base64').toString(), '<s-:s>');
  library.registerFunction('clone', clonePlain, '<(oa)-:o>');
  const direct = compileDirect(syntax, { ...(await loadLibrary()), regexes });

  const evaluateThere = async (input: Value): Promise<Value | undefined> => {
    const data = new PlainData();
    try {
      const result: unknown = await library.evaluate(data.of(input));
      return result === undefined ? undefined : data.back(result);
    } catch (error) {
      throw readable(error);
    }
  };
  if (direct === undefined) return { direct: false, evaluate: evaluateThere };
  return {
    direct: true,
    evaluate(input) {
      let result: Item;
      try {
        result = direct(wrapped(input), new Scope({ input, time: undefined }));
      } catch (error) {
        // The library also evaluates deep recursion, because it has a limit for it.
        if (error instanceof LeftToLibrary || error instanceof RangeError) return evaluateThere(input);
        throw error;
      }
      return result === undefined ? undefined : copied(result);
    },
  };
}

function compileDirect(syntax: Syntax, library: Library): Evaluate | undefined {
  try {
    return new Compiler(library).compile(syntax);
  } catch (error) {
    if (error instanceof LeftToLibrary) return undefined;
    throw error;
  }
}

/** Marks a list as one value. Without the mark, it would be a sequence of its elements. */
function wrapped(input: Value): Value {
  if (!Array.isArray(input)) return input;
  const outer = new Sequence();
  outer.push(input);
  outer.outer = true;
  return outer;
}

/** Returns a copy without sequences, and without values that are shared with the input. */
function copied(item: Value): Value {
  if (typeof item !== 'object' || item === null) return item;
  if (Array.isArray(item)) {
    const list: Value[] = [];
    for (let i = 0; i < item.length; i++) list.push(copied(item[i] as Value));
    return list;
  }
  if (!(item instanceof Map)) return copyValue(item);
  const copy: JsonObject = new Map();
  for (const [key, value] of item) copy.set(key, copied(value));
  return copy;
}

interface LibraryFunction {
  readonly implementation: (this: unknown, ...args: unknown[]) => unknown;
}

type LibraryFunctions = Omit<Library, 'regexes'>;

let loaded: Promise<LibraryFunctions> | undefined;

/** Returns the functions of the library, as an expression gets them by their name. */
function loadLibrary(): Promise<LibraryFunctions> {
  loaded ??= (async () => {
    const functions = new Map<string, LibraryFunction>();
    for (const name of FUNCTION_NAMES) {
      const found: unknown = await jsonata(`$${name}`).evaluate(undefined);
      if (found !== undefined) functions.set(name, found as LibraryFunction);
    }
    const context = { createSequence: () => [] };
    return {
      isFunction: (name) => functions.has(name),
      call: (name, args) => (functions.get(name) as LibraryFunction).implementation.apply(context, [...args]),
    };
  })();
  return loaded;
}

const FUNCTION_NAMES =
  'sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt power random boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert type sort shuffle distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl eval toMillis fromMillis clone now millis'.split(
    ' ',
  );

/** Reports invalid regular expressions when the expression is compiled, not with the first document. */
function checkRegexes(node: unknown, regexes: Regexes): void {
  if (typeof node !== 'object' || node === null) return;
  if (node instanceof RegExp) regexes.of(node);
  else for (const child of Object.values(node)) checkRegexes(child, regexes);
}

/** Converts a thrown object of the library to an error. The library throws plain objects. */
function readable(error: unknown): Error {
  const { message, code, position } = error as { message?: string; code?: string; position?: number };
  const place = typeof position === 'number' ? ` (at ${position})` : '';
  return new Error(`${message ?? code ?? String(error)}${place}`, { cause: error });
}
