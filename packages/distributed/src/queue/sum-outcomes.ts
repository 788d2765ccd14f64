import type { ChunkOutcome } from '@headrace/engine';

/** Returns the sum of the results of parts of a message. */
export function sumOutcomes(outcomes: readonly ChunkOutcome[]): ChunkOutcome {
  const sum = (field: 'published' | 'created' | 'succeeded' | 'failed' | 'dropped' | 'undelivered') =>
    outcomes.reduce((total, outcome) => total + outcome[field], 0);
  return {
    published: sum('published'),
    created: sum('created'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    dropped: sum('dropped'),
    undelivered: sum('undelivered'),
    failures: outcomes.flatMap(({ failures }) => failures),
    createdIds: outcomes.flatMap(({ createdIds }) => createdIds),
    droppedIds: outcomes.flatMap(({ droppedIds }) => droppedIds),
    sentIds: outcomes.flatMap(({ sentIds }) => sentIds),
  };
}
