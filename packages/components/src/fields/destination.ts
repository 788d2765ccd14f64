import { type ParameterProblem, RESERVED_FIELDS } from '@headrace/engine';

/**
 * Reports a name that no stage may write: a reserved field of the engine, or an empty name.
 * The check runs at the start. Without it, each document would fail.
 *
 * @param parameter the path of the parameter with the name
 */
export function* checkDestination(parameter: string, name: string): Generator<ParameterProblem> {
  if (name === '') yield { parameter, message: `${parameter} must not be empty` };
  else if (RESERVED_FIELDS.has(name)) {
    yield {
      parameter,
      message: `${parameter} names ${name}, which is a reserved field`,
      hint: 'Choose another name: stages can read this field, but not change it.',
    };
  }
}
