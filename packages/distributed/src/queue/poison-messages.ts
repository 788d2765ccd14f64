import type { TopicMessage } from '@headrace/components/kafka';
import type { ChunkOutcome, Logger } from '@headrace/engine';
import { parseJson } from '@headrace/engine';
import { BUSY, type QueueCommits } from './queue-commits.ts';

/** A range of documents of a message, by their numbers: `[from, to)`. */
export type Range = readonly [from: number, to: number];

/** The note of a partition: how the message at the committed offset was processed before. */
type Suspect =
  /** How often the message was processed alone. Each time, the worker died. */
  | { readonly solo: number }
  /** The message was processed in ranges. The worker died in this range. Earlier it died at the `dead` documents. */
  | { readonly range: Range; readonly dead: readonly number[] };

/** The note of an owner that read normally. It read earlier messages again after the death of another owner. */
interface Normal {
  /** The offset after the messages that were in progress when the other owner died; 0 if none died. */
  readonly to: number;
}

/** How to process the documents of a message that kills its worker. */
export interface RangePlan {
  /** Documents that did not kill the worker. They are processed again, because their results were lost. */
  readonly safe: readonly Range[];
  /** Documents that may kill the worker, in small ranges. */
  readonly unknown: readonly Range[];
  /** Documents that kill the worker. */
  readonly dead: readonly number[];
}

/** A partition whose last owner has died. */
interface Suspicion {
  suspect: Suspect;
  /**
   * The number of documents that must still be processed one by one. A batch counts as `DOCUMENTS / BATCH` documents.
   */
  left: number;
}

/** The results of the documents of a message that was processed in ranges. */
export interface RangesResult<Origin> {
  readonly outcome: ChunkOutcome;
  readonly origin: Origin | undefined;
  /** The numbers of the documents that kill their worker. */
  readonly dead: readonly number[];
}

/** The maximum number of single documents in progress at a worker. One of them has killed it. */
const DOCUMENTS = 512;
/** A worker has fewer batches than documents in progress, so a batch counts as several documents. */
const BATCH = 8;
/** The size of a range. If a range kills the worker, its documents are processed one by one. */
const RANGE = 32;

/**
 * Finds documents that kill their worker, without a server that counts attempts. Each commit of an offset stores a
 * note, which says which message is being processed alone. If the next owner of the partition finds such a note, that
 * message has killed its worker. It is tried again alone, then in small ranges, then the documents of the fatal range
 * one by one. A document that kills the worker alone is dead.
 *
 * Most workers do not die because of a document: somebody ends them, or the group excludes a slow one. So after one
 * death the next owner reads normally. Messages are processed alone only after a second death among the same messages.
 */
export class PoisonMessages {
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

  /** Adds a newly assigned partition with its first offset and the note of its last owner. Returns the note to store. */
  gained(partition: number, offset: bigint, note: string): string {
    const found = readNote(note);
    this.#partitions.delete(partition);
    if (found === undefined) return BUSY;
    if ('to' in found && Number(offset) >= found.to) {
      this.#log.warn(
        `The last owner of partition ${partition} ended without finishing its messages. They are processed again`,
      );
      return JSON.stringify({ busy: true, to: Number(offset) + DOCUMENTS });
    }
    const suspect = 'to' in found ? { solo: 0 } : found;
    this.#partitions.set(partition, { suspect, left: DOCUMENTS });
    this.#log.warn(
      `The last owners of partition ${partition} ended without finishing the same messages. The next ${DOCUMENTS / BATCH} batches, or ${DOCUMENTS} documents, are processed one by one`,
    );
    return JSON.stringify(suspect);
  }

  /** Returns true if a message must be processed alone. */
  covers({ partition }: TopicMessage): boolean {
    return this.#partitions.has(partition);
  }

  /**
   * Processes one message.
   * @param count the number of its documents
   * @param whole processes the whole message
   * @param ranges processes a message by a plan, and calls `begin` before each range that may kill the worker
   */
  async process<Origin>(
    message: TopicMessage,
    count: number,
    whole: () => Promise<{ outcome: ChunkOutcome; origin: Origin }>,
    ranges: (
      plan: RangePlan,
      begin: (range: Range) => Promise<void>,
    ) => Promise<{ outcome: ChunkOutcome; origin: Origin }>,
  ): Promise<RangesResult<Origin>> {
    const { suspect } = this.#partitions.get(message.partition) as Suspicion;
    // Finding the document inside its message takes two more attempts.
    const tries = count === 1 ? this.#maxRetries : Math.max(1, this.#maxRetries - 2);
    if ('solo' in suspect && suspect.solo < tries) {
      await this.#note(message, { solo: suspect.solo + 1 });
      return { ...(await whole()), dead: [] };
    }
    if (count === 1) return { outcome: sumOutcomes([]), origin: undefined, dead: [0] };
    const plan = planOf(suspect, count);
    const { dead } = plan;
    return { ...(await ranges(plan, (range) => this.#note(message, { range, dead }))), dead };
  }

  /** Records that a message is finished. From now on, the next message is the one that may kill the worker. */
  async finished(message: TopicMessage, isBatch: boolean): Promise<void> {
    const suspicion = this.#partitions.get(message.partition);
    if (suspicion === undefined) return;
    suspicion.suspect = { solo: 0 };
    suspicion.left -= isBatch ? BATCH : 1;
    const isOver = suspicion.left <= 0;
    if (isOver) this.#partitions.delete(message.partition);
    // Commits the offset immediately. Otherwise, if a message of another partition kills the worker now, the next owner
    // would blame this message.
    const position = { offset: message.offset + 1n, leaderEpoch: message.leaderEpoch };
    await this.#commits.commit(message.partition, position, isOver ? BUSY : JSON.stringify(suspicion.suspect));
  }

  #note({ partition, offset, leaderEpoch }: TopicMessage, suspect: Suspect): Promise<void> {
    return this.#commits.commit(partition, { offset, leaderEpoch }, JSON.stringify(suspect));
  }
}

/** The members of all kinds of notes. */
interface Note {
  readonly busy: boolean;
  readonly to: number;
  readonly solo: number;
  readonly range: Range;
  readonly dead: readonly number[];
}

function readNote(note: string): Suspect | Normal | undefined {
  if (note === '') return undefined;
  try {
    const found = parseJson(note) as Partial<Note>;
    if (found.busy === true) return { to: found.to ?? 0 };
    if (typeof found.solo === 'number') return { solo: found.solo };
    if (Array.isArray(found.range)) return { range: found.range, dead: found.dead ?? [] };
  } catch {
    // Another program wrote the note.
  }
  return undefined;
}

/** Returns the plan for a message with this many documents. */
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

/** Returns the documents before a number, without the dead ones. */
function alive(to: number, dead: readonly number[]): Range[] {
  const ranges: Range[] = [];
  let from = 0;
  for (const end of [...dead, to]) {
    if (end > from) ranges.push([from, end]);
    from = end + 1;
  }
  return ranges;
}

/** Returns the sum of the results of parts of a message: zeros for no parts. */
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
