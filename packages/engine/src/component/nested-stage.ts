import { fromValue, type ObjectNode } from '@headrace/hocon';
import type { JsonObject } from '../document/value.ts';
import { commonParameters } from './common-parameters.ts';
import { checkParameters, type ParameterProblem, parameterKeys } from './parameters.ts';
import type { TObject } from './schema.ts';
import type { StageClass } from './stage.ts';

/** The parsed parameters of an object inside a component, and their problems. */
export interface NestedParameters {
  readonly params: Record<string, unknown>;
  readonly problems: readonly ParameterProblem[];
}

/** A class with parameters: a stage, or another class that a component creates. */
export interface DescribesParameters {
  readonly parameters: TObject;
  readonly check?: (params: never) => Iterable<ParameterProblem>;
}

/**
 * Reads the parameters of a stage inside another stage, as a pipeline does for its stages: by the schema, with
 * conversions and defaults, then by the `check` method of the class.
 * @param given the config of the inner stage, as a free-form parameter returns it
 * @param at the keys that lead from the outer stage to the inner stage, for the problems
 */
export function checkNestedStage(
  StageClass: StageClass,
  given: JsonObject,
  at: readonly (string | number)[],
): NestedParameters {
  return checkNested(StageClass, given, at, Object.keys((commonParameters.stage as TObject).properties));
}

/**
 * Reads the parameters of an object inside a component, in the same way as those of a component: by the schema, with
 * conversions and defaults, then by the `check` method.
 * @param given the config of the inner object, as a free-form parameter returns it
 * @param at the keys that lead from the component to the inner object, for the problems
 * @param shared additional keys that are allowed and that other code reads
 */
export function checkNested(
  described: DescribesParameters,
  given: JsonObject,
  at: readonly (string | number)[],
  shared: readonly string[] = [],
): NestedParameters {
  const read = checkParameters(described.parameters, fromValue(given) as ObjectNode, '', new Set(shared));
  const problems: ParameterProblem[] = read.problems.map(({ path, message, hint, severity }) => ({
    parameter: path,
    message,
    severity,
    ...(hint === undefined ? {} : { hint }),
  }));
  if (!problems.some(({ severity }) => severity === 'error')) {
    problems.push(...(described.check?.(read.value as never) ?? []));
  }
  return {
    params: read.value,
    problems: problems.map((problem) => ({ ...problem, parameter: [...at, ...parameterKeys(problem)] })),
  };
}
