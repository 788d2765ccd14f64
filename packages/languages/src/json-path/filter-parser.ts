import type { Cursor } from './cursor.ts';
import type { TokenPath } from './evaluate.ts';
import { readLiteral } from './literal.ts';
import type { Argument, Test } from './tokens.ts';
import { compare, isContainer, looselyEqual, numericOf, sameType } from './values.ts';

/** Compiles a regular expression to a test of a whole text. */
export type MakeMatcher = (pattern: string, flags: string) => (text: string) => boolean;

/** The parts of the compiler that a filter uses. */
export interface FilterContext {
  readonly readPath: (cursor: Cursor) => TokenPath;
  readonly makeMatcher: MakeMatcher;
}

/** One side of a comparison. */
type Operand =
  | { readonly type: 'path'; readonly path: TokenPath }
  | { readonly type: 'literal'; readonly value: unknown }
  | { readonly type: 'pattern'; readonly matches: (text: string) => boolean };

type Comparison = (left: unknown, right: unknown) => boolean;

/** Reads `expression || expression …`. */
export function readFilter(cursor: Cursor, context: FilterContext): Test {
  const tests = [readAnd(cursor, context)];
  while (cursor.skipBlanks().take('||')) tests.push(readAnd(cursor, context));
  return tests.length === 1 ? tests[0]! : (item, root) => tests.some((test) => test(item, root));
}

function readAnd(cursor: Cursor, context: FilterContext): Test {
  const tests = [readUnary(cursor, context)];
  while (cursor.skipBlanks().take('&&')) tests.push(readUnary(cursor, context));
  return tests.length === 1 ? tests[0]! : (item, root) => tests.every((test) => test(item, root));
}

function readUnary(cursor: Cursor, context: FilterContext): Test {
  if (cursor.skipBlanks().take('!')) {
    const test = readUnary(cursor, context);
    return (item, root) => !test(item, root);
  }
  if (cursor.take('(')) {
    const test = readFilter(cursor, context);
    cursor.expect(')');
    return test;
  }
  return readComparison(cursor, context);
}

const SYMBOL = /[<>=~!]+/y;
const WORD = /[A-Za-z]+/y;

function readComparison(cursor: Cursor, context: FilterContext): Test {
  const start = cursor.position;
  const left = readOperand(cursor, context);
  const operatorAt = cursor.skipBlanks().position;
  const operator = (cursor.takeMatch(SYMBOL) || cursor.takeMatch(WORD)).toLowerCase();
  if (operator === '') {
    if (left.type !== 'path') cursor.fail('A value alone is not a condition, compare it with another value', start);
    return (item, root) => left.path.exists(item, root);
  }
  if (operator === '=~') return matching(left, readOperand(cursor, context), cursor, operatorAt);
  const comparison = COMPARISONS.get(operator);
  if (comparison === undefined) {
    cursor.fail(`Unknown operator ${operator}, known are =~ ${[...COMPARISONS.keys()].join(' ')}`, operatorAt);
  }
  const leftValue = valueOfOperand(left, cursor, operatorAt);
  const rightValue = valueOfOperand(readOperand(cursor, context), cursor, operatorAt);
  return (item, root) => comparison(leftValue(item, root), rightValue(item, root));
}

function readOperand(cursor: Cursor, context: FilterContext): Operand {
  const { char } = cursor.skipBlanks();
  if (char === '@' || char === '$') return { type: 'path', path: context.readPath(cursor) };
  if (char === '/') return readPattern(cursor, context);
  return { type: 'literal', value: readLiteral(cursor) };
}

const PATTERN = /\/((?:[^/\\]|\\.)*)\/([dixmsuU]*)/sy;

function readPattern(cursor: Cursor, { makeMatcher }: FilterContext): Operand {
  const start = cursor.position;
  PATTERN.lastIndex = start;
  const found = PATTERN.exec(cursor.text);
  if (found === null) return cursor.fail('The regular expression is not closed by a /');
  cursor.position += found[0].length;
  try {
    return { type: 'pattern', matches: makeMatcher(found[1] ?? '', found[2] ?? '') };
  } catch (error) {
    return cursor.fail(`The regular expression is invalid (${error instanceof Error ? error.message : error})`, start);
  }
}

/** Returns the value of an operand, or null for a path without a result. */
function valueOfOperand(operand: Operand, cursor: Cursor, position: number): Argument {
  switch (operand.type) {
    case 'path':
      return (item, root) => operand.path.evaluate(item, root) ?? null;
    case 'literal':
      return () => operand.value;
    case 'pattern':
      return cursor.fail('A regular expression needs the operator =~', position);
  }
}

function matching(left: Operand, right: Operand, cursor: Cursor, position: number): Test {
  const pattern = left.type === 'pattern' ? left : right;
  const other = pattern === left ? right : left;
  if (pattern.type !== 'pattern')
    return cursor.fail('The operator =~ needs a regular expression such as /a.*/i', position);
  const input = valueOfOperand(other, cursor, position);
  return (item, root) => {
    const value = input(item, root);
    return Array.isArray(value) ? value.some((one) => pattern.matches(textOf(one))) : pattern.matches(textOf(value));
  };
}

/** Returns the text that a regular expression is matched with, or undefined for values without a text. */
function textOf(value: unknown): string {
  return value === null || isContainer(value) ? '' : String(value);
}

function includes(list: readonly unknown[], value: unknown): boolean {
  return list.some((item) => looselyEqual(value, item));
}

/** Returns a comparison of two lists. It is false if one of the values is not a list. */
function ofLists(comparison: (left: readonly unknown[], right: readonly unknown[]) => boolean): Comparison {
  return (left, right) => Array.isArray(left) && Array.isArray(right) && comparison(left, right);
}

function ordered(accepts: (order: number) => boolean): Comparison {
  return (left, right) => {
    const order = compare(left, right);
    return order !== undefined && accepts(order);
  };
}

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['==', looselyEqual],
  ['!=', (left, right) => !looselyEqual(left, right)],
  ['===', (left, right) => sameType(left, right) && looselyEqual(left, right)],
  ['!==', (left, right) => !sameType(left, right) || !looselyEqual(left, right)],
  ['<', ordered((order) => order < 0)],
  ['<=', ordered((order) => order <= 0)],
  ['>', ordered((order) => order > 0)],
  ['>=', ordered((order) => order >= 0)],
  ['in', (left, right) => Array.isArray(right) && includes(right, left)],
  ['nin', (left, right) => isContainer(right) && !(Array.isArray(right) && includes(right, left))],
  ['subsetof', ofLists((left, right) => left.every((value) => includes(right, value)))],
  ['anyof', ofLists((left, right) => left.some((value) => includes(right, value)))],
  ['noneof', ofLists((left, right) => !left.some((value) => includes(right, value)))],
  ['all', ofLists((left, right) => right.every((value) => includes(left, value)))],
  ['contains', contains],
  ['size', (left, right) => sizeOf(left) === Number(numericOf(right) ?? Number.NaN)],
  ['empty', (left, right) => typeof right === 'boolean' && emptiness(left) === right],
]);

function contains(left: unknown, right: unknown): boolean {
  if (typeof left === 'string') return typeof right === 'string' && left.includes(right);
  return Array.isArray(left) && left.some((item) => looselyEqual(right, item));
}

function sizeOf(value: unknown): number | undefined {
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
}

function emptiness(value: unknown): boolean | undefined {
  return value instanceof Map ? value.size === 0 : sizeOf(value) === undefined ? undefined : sizeOf(value) === 0;
}
