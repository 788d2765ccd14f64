import type { PathFunction } from './tokens.ts';
import { isContainer, numericOf } from './values.ts';

/** Creates the value for a double, such as the 6.0 of a sum. */
export type MakeDouble = (value: number) => unknown;

/** Returns the functions that a path may call, by name. Arguments are already evaluated. */
export function pathFunctions(makeDouble: MakeDouble): ReadonlyMap<string, PathFunction> {
  const aggregate =
    (combine: (numbers: readonly number[]) => number): PathFunction =>
    (model, args) => {
      const numbers = numbersOf(model, args);
      return numbers.length === 0 ? undefined : makeDouble(combine(numbers));
    };
  return new Map<string, PathFunction>([
    ['sum', aggregate(sum)],
    ['avg', aggregate((numbers) => sum(numbers) / numbers.length)],
    ['stddev', aggregate(standardDeviation)],
    ['min', aggregate((numbers) => numbers.reduce((a, b) => Math.min(a, b)))],
    ['max', aggregate((numbers) => numbers.reduce((a, b) => Math.max(a, b)))],
    ['concat', concat],
    ['length', length],
    ['size', length],
    ['keys', (model) => (model instanceof Map ? [...model.keys()] : null)],
    ['append', (model, args) => (Array.isArray(model) ? [...model, ...args] : model)],
    ['first', (model) => at(model, 0)],
    ['last', (model) => at(model, -1)],
    ['index', (model, args) => at(model, Number(numericOf(args[0]) ?? Number.NaN))],
  ]);
}

/** Returns the numbers of a list, and those of the arguments, each a number or a list. */
function numbersOf(model: unknown, args: readonly unknown[]): number[] {
  const values = [...(Array.isArray(model) ? model : []), ...args.flat(1)];
  return values
    .map(numericOf)
    .filter((value) => value !== undefined)
    .map(Number);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/** Returns the standard deviation of the whole population. */
function standardDeviation(numbers: readonly number[]): number {
  const squares = sum(numbers.map((value) => value * value)) / numbers.length;
  const mean = sum(numbers) / numbers.length;
  return Math.sqrt(Math.max(0, squares - mean * mean));
}

/** Joins the texts of a list, and the scalar arguments. */
function concat(model: unknown, args: readonly unknown[]): string {
  const texts = Array.isArray(model) ? model.filter((item) => typeof item === 'string') : [];
  const others = args.flat(1).filter((value) => value !== null && value !== undefined && !isContainer(value));
  return [...texts, ...others.map(String)].join('');
}

/** Returns the number of elements of a list or keys of an object, or null. An argument replaces the model. */
function length(model: unknown, args: readonly unknown[]): number | null {
  const counted = args.length > 0 ? args[0] : model;
  if (Array.isArray(counted)) return counted.length;
  return counted instanceof Map ? counted.size : null;
}

function at(model: unknown, index: number): unknown {
  return Array.isArray(model) ? model.at(Number.isNaN(index) ? model.length : index) : undefined;
}
