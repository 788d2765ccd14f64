/** A number that Headrace counts. Its name is its key in a table. */
export interface Counter {
  /** The heading of its column in the web application. */
  readonly title: string;
  readonly unit: 'documents' | 'children' | 'batches' | 'lookups' | 'seconds';
  /** What is counted, without a full stop. */
  readonly description: string;
  /** The name of its metric without prefix and suffix, if it is not the name of the counter in snake case. */
  readonly metric?: string;
  /** True if the number may fall. */
  readonly isGauge?: boolean;
}

/** The counts of a table by name. */
export type Counts<T> = { -readonly [N in keyof T]: number };

/** Counts of each stage. */
export const STAGE_COUNTERS = {
  processed: {
    title: 'Documents',
    unit: 'documents',
    description: 'Documents with which the stage was called',
    metric: 'documents',
  },
  skipped: {
    title: 'Skipped',
    unit: 'documents',
    description: 'Documents with which the stage was not called, because they do not meet its conditions',
  },
  failed: {
    title: 'Failed',
    unit: 'documents',
    description: 'Documents that failed in the stage',
    metric: 'failures',
  },
  children: { title: 'Children', unit: 'children', description: 'Child documents that the stage emitted' },
  cacheHits: {
    title: 'From the cache',
    unit: 'lookups',
    description: 'Lookups in the cache of the stage that found a value',
  },
  cacheMisses: {
    title: 'Not in the cache',
    unit: 'lookups',
    description: 'Lookups in the cache of the stage that found no value',
  },
} as const satisfies Record<string, Counter>;

/** Counts of the indexer of a run. */
export const INDEXER_COUNTERS = {
  batches: { title: 'Batches', unit: 'batches', description: 'Batches that were sent' },
  inFlight: {
    title: 'In flight',
    unit: 'batches',
    description: 'Batches that are being sent',
    metric: 'batches_in_flight',
    isGauge: true,
  },
  documents: {
    title: 'Documents',
    unit: 'documents',
    description: 'Documents in the sent batches, including failed ones',
  },
  failed: {
    title: 'Failed',
    unit: 'documents',
    description: 'Documents in the sent batches that failed',
    metric: 'failures',
  },
  retries: { title: 'Sent again', unit: 'documents', description: 'Documents that were sent again, counted each time' },
  unchanged: {
    title: 'Unchanged',
    unit: 'documents',
    description: 'Documents that were not sent, because the destination has them; they count as succeeded',
  },
  seconds: {
    title: 'Time of all batches',
    unit: 'seconds',
    description: 'Total time of sending, summed over the batches',
  },
} as const satisfies Record<string, Counter>;

/** Counts of documents by outcome. */
export const OUTCOME_COUNTERS = {
  succeeded: {
    title: 'Succeeded',
    unit: 'documents',
    description: 'Documents that reached the destination, or were already there',
  },
  failed: { title: 'Failed', unit: 'documents', description: 'Documents that failed' },
  dropped: { title: 'Dropped', unit: 'documents', description: 'Documents that a stage dropped' },
} as const satisfies Record<string, Counter>;

const PUBLISHED = {
  title: 'Read',
  unit: 'documents',
  description: 'Documents that connectors delivered, including unreadable records',
} as const satisfies Counter;

/** Counts of each connector. */
export const CONNECTOR_COUNTERS = { published: PUBLISHED, ...OUTCOME_COUNTERS } as const;

/** Counts of a run. In a finished run, published + created = succeeded + failed + dropped. */
export const RUN_COUNTERS = {
  published: PUBLISHED,
  created: { title: 'Created by stages', unit: 'children', description: 'Child documents that stages emitted' },
  ...OUTCOME_COUNTERS,
} as const satisfies Record<string, Counter>;

/** Returns the names of a table, in its order. */
export function namesOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}

/** Returns counts of zero. */
export function noCounts<T extends object>(table: T): Counts<T> {
  return Object.fromEntries(namesOf(table).map((name) => [name, 0])) as Counts<T>;
}
