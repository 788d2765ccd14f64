import { fromValue, type ObjectNode } from '@headrace/hocon';
import type { JsonObject } from '../document/value.ts';
import { commonParameters } from './common-parameters.ts';
import { checkParameters, type ParameterProblem, parameterKeys } from './parameters.ts';
import type { TObject } from './schema.ts';
import type { StageClass } from './stage.ts';

/** The parameters of a stage inside another one, and what is wrong with them. */
export interface NestedStageParameters {
  readonly params: Record<string, unknown>;
  readonly problems: readonly ParameterProblem[];
}

/**
 * Reads the parameters of a stage that another stage keeps inside itself, as a pipeline does for its own: by the
 * schema, with coercions and defaults, then by the class's `check`.
 *
 * @param given the config of the inner stage, as a parameter of free form gives it
 * @param at the keys that lead to it from the outer stage, for the problems
 */
export function checkNestedStage(
  StageClass: StageClass,
  given: JsonObject,
  at: readonly (string | number)[],
): NestedStageParameters {
  const shared = new Set(Object.keys((commonParameters.stage as TObject).properties));
  const read = checkParameters(StageClass.parameters, fromValue(given) as ObjectNode, '', shared);
  const problems: ParameterProblem[] = read.problems.map(({ path, message, hint, severity }) => ({
    parameter: path,
    message,
    severity,
    ...(hint === undefined ? {} : { hint }),
  }));
  if (!problems.some(({ severity }) => severity === 'error')) {
    problems.push(...(StageClass.check?.(read.value as never) ?? []));
  }
  return {
    params: read.value,
    problems: problems.map((problem) => ({ ...problem, parameter: [...at, ...parameterKeys(problem)] })),
  };
}
