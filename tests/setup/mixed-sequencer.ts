import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Mixes the kinds of tests: tests with servers and packages mostly wait, and tests with processes mostly compute. One of
 * each at the same time uses the processors better than two of the same kind. Unit tests run last: they are short, so
 * the workers finish at about the same time.
 */
export class MixedSequencer extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const all = sorted.filter(({ project }) => project.name === 'server' || project.name === 'package');
    // Distributed runs wait longest. They start first, so that the last worker does not end long after the others.
    const waiting = [...all.filter(isDistributed), ...all.filter((one) => !isDistributed(one))];
    const computing = sorted.filter(({ project }) => project.name === 'process');
    const rest = sorted.filter((one) => !waiting.includes(one) && !computing.includes(one));
    return [...mixed(waiting, computing), ...rest];
  }
}

function isDistributed({ moduleId }: TestSpecification): boolean {
  return moduleId.includes('/packages/distributed/');
}

/** Returns the elements of both lists, each list in its order and evenly spread over the result. */
function mixed<T>(a: readonly T[], b: readonly T[]): T[] {
  const places = [a, b].flatMap((list) => list.map((element, i) => ({ element, at: (i + 0.5) / list.length })));
  return places.sort((one, other) => one.at - other.at).map(({ element }) => element);
}
