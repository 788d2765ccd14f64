import type { ParameterProblem } from 'headrace/engine';
import { type Comparison, type FilterValue, OPERATORS, type Operator } from './row-filter.ts';

/** The parameter `filter`: for each column, a scalar, or an object of operators and values. */
export type FilterParameter = ReadonlyMap<string, unknown> | undefined;

/** Reports all mistakes that are visible without the files. */
export function* checkFilter(filter: FilterParameter): Generator<ParameterProblem> {
  for (const [column, condition] of filter ?? []) {
    if (isScalar(condition)) continue;
    if (typeof condition === 'bigint') {
      yield inexact(['filter', column], condition);
      continue;
    }
    if (!(condition instanceof Map) || condition.size === 0) {
      yield {
        parameter: ['filter', column],
        message: `filter.${column} must be a text, a number, a boolean, or comparisons`,
        hint: `Write filter { ${column} { gte: 1 } }.`,
      };
      continue;
    }
    for (const [operator, value] of condition) {
      const parameter = ['filter', column, operator];
      if (!OPERATORS.includes(operator as Operator)) {
        yield { parameter, message: `There is no operator ${operator}`, hint: `Use ${OPERATORS.join(', ')}.` };
      } else if (operator === 'in') {
        if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) continue;
        const large: unknown = Array.isArray(value) ? value.find((one) => typeof one === 'bigint') : undefined;
        if (typeof large === 'bigint') {
          yield inexact(parameter, large);
          continue;
        }
        yield { parameter, message: `filter.${column}.in must be a list of texts, numbers or booleans` };
      } else if (typeof value === 'bigint') {
        yield inexact(parameter, value);
      } else if (!isScalar(value)) {
        yield { parameter, message: `filter.${column}.${operator} must be a text, a number or a boolean` };
      }
    }
  }
}

/** Returns the comparisons of a valid filter. */
export function comparisonsOf(filter: FilterParameter): Comparison[] {
  return [...(filter ?? [])].flatMap(([column, condition]) =>
    condition instanceof Map
      ? [...condition].map(([operator, value]) => ({ column, operator, value: value as FilterValue }))
      : [{ column, operator: 'eq' as const, value: condition as FilterValue }],
  );
}

/** A config rounds a large number with a fraction to a whole one, so the number may not be the one that was written. */
function inexact(parameter: string[], value: bigint): ParameterProblem {
  const message = `${parameter.join('.')} is a number of more than 15 digits, about ${value}, which may have lost digits`;
  return { parameter, message, hint: 'Write it in quotes.' };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
