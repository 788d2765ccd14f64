import type { ParameterProblem } from '@headrace/engine';
import { counted } from '@headrace/engine';
import { checkDestination } from './destination.ts';

/** A field to read and the field to write. */
export interface FieldPair {
  readonly source: string;
  readonly dest: string;
}

/**
 * Reports problems in the lists `source` and `dest` of a stage: empty lists, different lengths, reserved destinations.
 */
export function* checkFieldPairs(params: {
  readonly source: readonly string[];
  readonly dest: readonly string[];
}): Generator<ParameterProblem> {
  const { source, dest } = params;
  if (source.length === 0) yield { parameter: 'source', message: 'source must name at least one field' };
  if (dest.length === 0) yield { parameter: 'dest', message: 'dest must name at least one field' };
  if (source.length > 0 && dest.length > 1 && source.length !== dest.length) {
    yield {
      parameter: 'dest',
      message: `source has ${counted(source.length, 'field')} and dest ${dest.length}`,
      hint: 'Name one destination for each source, or one destination for all.',
    };
  }
  for (const [i, name] of dest.entries()) yield* checkDestination(`dest[${i}]`, name);
}

/** Returns the pairs of `source` and `dest`: one destination for each source, or the same destination for all. */
export function fieldPairs(source: readonly string[], dest: readonly string[]): FieldPair[] {
  return source.map((name, i) => ({ source: name, dest: (dest.length === 1 ? dest[0] : dest[i]) as string }));
}
