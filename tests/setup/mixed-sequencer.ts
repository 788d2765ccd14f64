import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Mixes the kinds of tests: tests with servers and packages mostly wait, and tests with processes and browsers mostly
 * compute. One of each at the same time uses the processors better than two of the same kind. Unit tests run last: they
 * are short, so the workers finish at about the same time. In each kind, the files that take long run first.
 */
export class MixedSequencer extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    // Without a cache of durations, this sorts by size.
    const sorted = await super.sort(specifications);
    const of = (...kinds: readonly string[]) => sorted.filter(({ project }) => kinds.includes(project.name));
    const waiting = longFirst(of('server', 'package'));
    return [...mixed(mixed(waiting, longFirst(of('process'))), of('browser')), ...longFirst(of('unit'))];
  }
}

/** Small files that take long: distributed runs wait, suites for several servers repeat all tests, fuzzing repeats. */
const LONG = /\/distributed\/.*\.server\.|\/tests\/reindexing\/|\/testing\/indexers\/|fuzz|property/;

function longFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
  return [...files.filter(isLong), ...files.filter((one) => !isLong(one))];
}

/** Returns the elements of both lists, each list in its order and evenly spread over the result. */
function mixed<T>(a: readonly T[], b: readonly T[]): T[] {
  const places = [a, b].flatMap((list) => list.map((element, i) => ({ element, at: (i + 0.5) / list.length })));
  return places.sort((one, other) => one.at - other.at).map(({ element }) => element);
}
