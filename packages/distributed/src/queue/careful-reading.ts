import type { TopicMessage } from '@headrace/components/kafka';
import type { ChunkOutcome, Logger } from '@headrace/engine';
import { BUSY, type QueueCommits } from './queue-commits.ts';

/** Documents of a message, by their numbers: `[from, to)`. */
export type Range = readonly [from: number, to: number];

/** What the note of a partition says about the message at its offset. */
type Suspect =
  /** It was processed alone so many times, and its worker died each time. */
  | { readonly solo: number }
  /** Its documents were processed in ranges. The worker died in this one, and before that at the dead documents. */
  | { readonly range: Range; readonly dead: readonly number[] };

/** How to process the documents of a message that ends its worker. */
export interface RangePlan {
  /** The documents that did not end the worker. They are processed again, because their results were lost. */
  readonly safe: readonly Range[];
  /** The other documents, in small ranges. */
  readonly unknown: readonly Range[];
  /** The documents that end the worker. */
  readonly dead: readonly number[];
}

/** A partition whose last owner has died. */
interface Suspicion {
  suspect: Suspect;
  /** How many documents are still processed alone, or batches with their weight. */
  left: number;
}

/** What the documents of a message became when they were processed with care. */
export interface CarefulResult<Origin> {
  readonly outcome: ChunkOutcome;
  readonly origin: Origin | undefined;
  /** The numbers of the documents that end their worker. */
  readonly dead: readonly number[];
}

/** As many single documents as an owner has in progress: one of them has ended it. */
const DOCUMENTS = 512;
/** An owner has fewer batches in progress than documents: a batch counts as so many. */
const BATCH = 8;
/** The documents of a range. If a range ends the worker, its documents are processed one by one. */
const RANGE = 32;

/**
 * Finds the documents that end their worker, without a server that counts. The note that is committed with each offset
 * says which message is being processed alone. If the next owner of the partition finds such a note, that message has
 * ended its worker, and is tried again. After that its documents are processed in small ranges, and those of the range
 * that ends the worker one by one. A document that ends it alone is dead.
 */
export class CarefulReading {
  readonly #maxRetries: number;
  readonly #commits: Pick<QueueCommits, 'commit'>;
  readonly #log: Logger;
  readonly #partitions = new Map<number, Suspicion>();

  /** @param maxRetries how often a message is tried alone */
  constructor(maxRetries: number, commits: Pick<QueueCommits, 'commit'>, log: Logger) {
    this.#maxRetries = maxRetries;
    this.#commits = commits;
    this.#log = log;
  }

  /** A partition was gained, with the note of its last owner. Returns the note to store. */
  gained(partition: number, note: string): string {
    const suspect = readNote(note);
    if (suspect === undefined) {
      this.#partitions.delete(partition);
      return BUSY;
    }
    this.#partitions.set(partition, { suspect, left: DOCUMENTS });
    this.#log.warn(
      `Partition ${partition}: its last owner ended without finishing. The next ${DOCUMENTS / BATCH} batches, or ${DOCUMENTS} documents, are processed one by one`,
    );
    return note === BUSY ? JSON.stringify({ solo: 0 }) : note;
  }

  /** Whether a message must be processed alone. */
  covers({ partition }: TopicMessage): boolean {
    return this.#partitions.has(partition);
  }

  /**
   * Processes one message.
   * @param count how many documents it has
   * @param whole processes the whole message
   * @param ranges processes a message by a plan, and calls `begin` before each unknown range
   */
  async process<Origin>(
    message: TopicMessage,
    count: number,
    whole: () => Promise<{ outcome: ChunkOutcome; origin: Origin }>,
    ranges: (
      plan: RangePlan,
      begin: (range: Range) => Promise<void>,
    ) => Promise<{ outcome: ChunkOutcome; origin: Origin }>,
  ): Promise<CarefulResult<Origin>> {
    const { suspect } = this.#partitions.get(message.partition) as Suspicion;
    // Two more tries are needed to find the document in its message.
    const tries = count === 1 ? this.#maxRetries : Math.max(1, this.#maxRetries - 2);
    if ('solo' in suspect && suspect.solo < tries) {
      await this.#note(message, { solo: suspect.solo + 1 });
      return { ...(await whole()), dead: [] };
    }
    if (count === 1) return { outcome: NOTHING, origin: undefined, dead: [0] };
    const plan = planOf(suspect, count);
    const { dead } = plan;
    return { ...(await ranges(plan, (range) => this.#note(message, { range, dead }))), dead };
  }

  /** The message has finished: the next one is the suspect. */
  async finished(message: TopicMessage, isBatch: boolean): Promise<void> {
    const suspicion = this.#partitions.get(message.partition);
    if (suspicion === undefined) return;
    suspicion.suspect = { solo: 0 };
    suspicion.left -= isBatch ? BATCH : 1;
    const isOver = suspicion.left <= 0;
    if (isOver) this.#partitions.delete(message.partition);
    // At once: if a message of another partition ends the worker now, this one must not be blamed.
    const position = { offset: message.offset + 1n, leaderEpoch: message.leaderEpoch };
    await this.#commits.commit(message.partition, position, isOver ? BUSY : JSON.stringify(suspicion.suspect));
  }

  #note({ partition, offset, leaderEpoch }: TopicMessage, suspect: Suspect): Promise<void> {
    return this.#commits.commit(partition, { offset, leaderEpoch }, JSON.stringify(suspect));
  }
}

function readNote(note: string): Suspect | undefined {
  if (note === '') return undefined;
  try {
    const suspect = JSON.parse(note) as Partial<{ busy: boolean; solo: number; range: Range; dead: number[] }>;
    if (suspect.busy === true) return { solo: 0 };
    if (typeof suspect.solo === 'number') return { solo: suspect.solo };
    if (Array.isArray(suspect.range)) return { range: suspect.range, dead: suspect.dead ?? [] };
  } catch {
    // A note of another program.
  }
  return undefined;
}

/** The plan for a message of so many documents. */
function planOf(suspect: Suspect, count: number): RangePlan {
  if ('solo' in suspect) return { safe: [], unknown: rangesOf(0, count, RANGE), dead: [] };
  const [from, to] = suspect.range;
  const isFound = to - from === 1;
  const dead = isFound ? [...suspect.dead, from] : suspect.dead;
  const unknown = isFound ? [] : rangesOf(from, to, 1);
  return { safe: alive(from, suspect.dead), unknown: [...unknown, ...rangesOf(to, count, RANGE)], dead };
}

function rangesOf(from: number, to: number, size: number): Range[] {
  const ranges: Range[] = [];
  for (let at = from; at < to; at += size) ranges.push([at, Math.min(to, at + size)]);
  return ranges;
}

/** The documents before a number, without the dead. */
function alive(to: number, dead: readonly number[]): Range[] {
  const ranges: Range[] = [];
  let from = 0;
  for (const end of [...dead, to]) {
    if (end > from) ranges.push([from, end]);
    from = end + 1;
  }
  return ranges;
}

const NOTHING: ChunkOutcome = {
  published: 0,
  created: 0,
  succeeded: 0,
  failed: 0,
  dropped: 0,
  undelivered: 0,
  failures: [],
  createdIds: [],
  droppedIds: [],
  sentIds: [],
};
