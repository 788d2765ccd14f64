import { type ParameterProblem, RESERVED_FIELDS } from '@headrace/engine';

/**
 * The mistake of a name that no stage may write: one of the engine's fields, or none. Found at start-up, because
 * writing it would fail the documents one by one.
 *
 * @param parameter path of the parameter that holds the name
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
