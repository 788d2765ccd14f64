import type { TopicMessage } from '@headrace/components/kafka';
import type { ChunkOutcome, Logger } from '@headrace/engine';
import { BUSY, type QueueCommits } from './queue-commits.ts';

/** What the note of a partition says about the message at its offset. */
type Suspect =
  /** It was processed alone so many times, and its worker died each time. */
  | { readonly solo: number }
  /** Its documents were processed one by one. The worker died at this one, and before that at the dead ones. */
  | { readonly document: number; readonly dead: readonly number[] };

/** A partition whose last owner has died. */
interface Suspicion {
  suspect: Suspect;
  /** How many messages are still processed alone. */
  left: number;
}

/** What the documents of a message became when they were processed with care. */
export interface CarefulResult<Origin> {
  readonly outcome: ChunkOutcome;
  readonly origin: Origin | undefined;
  /** The numbers of the documents that end their worker. */
  readonly dead: readonly number[];
}

/** As many messages as an owner has in progress: one of them has ended it. */
const MESSAGES = 64;

/**
 * Finds the documents that end their worker, without a server that counts. The note that is committed with each offset
 * says which message is being processed alone. If the next owner of the partition finds such a note, that message has
 * ended its worker, and is tried again. After the last try its documents are processed one by one; each that ends the
 * worker again is dead.
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
    this.#partitions.set(partition, { suspect, left: MESSAGES });
    this.#log.warn(
      `Partition ${partition}: its last owner ended without finishing. The next ${MESSAGES} messages are processed one by one`,
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
   * @param ranges processes the documents before `from` together, without the dead, and each later one alone, after
   *   `begin` of its number
   */
  async process<Origin>(
    message: TopicMessage,
    count: number,
    whole: () => Promise<{ outcome: ChunkOutcome; origin: Origin }>,
    ranges: (
      dead: readonly number[],
      begin: (document: number) => Promise<void>,
      from: number,
    ) => Promise<{ outcome: ChunkOutcome; origin: Origin }>,
  ): Promise<CarefulResult<Origin>> {
    const { suspect } = this.#partitions.get(message.partition) as Suspicion;
    if ('solo' in suspect && suspect.solo < this.#maxRetries) {
      await this.#note(message, { solo: suspect.solo + 1 });
      return { ...(await whole()), dead: [] };
    }
    if (count === 1) return { outcome: NOTHING, origin: undefined, dead: [0] };
    const dead = 'solo' in suspect ? [] : [...suspect.dead, suspect.document];
    const from = 'solo' in suspect ? 0 : suspect.document + 1;
    const begin = (document: number) => this.#note(message, { document, dead });
    return { ...(await ranges(dead, begin, from)), dead };
  }

  /** The message has finished: the next one is the suspect. */
  async finished(message: TopicMessage): Promise<void> {
    const suspicion = this.#partitions.get(message.partition);
    if (suspicion === undefined) return;
    suspicion.suspect = { solo: 0 };
    suspicion.left--;
    if (suspicion.left === 0) this.#partitions.delete(message.partition);
    // The note must not be about this message any more: the next owner would suspect the next one for it.
    const note = suspicion.left === 0 ? BUSY : JSON.stringify(suspicion.suspect);
    const position = { offset: message.offset + 1n, leaderEpoch: message.leaderEpoch };
    await this.#commits.commit(message.partition, position, note);
  }

  #note({ partition, offset, leaderEpoch }: TopicMessage, suspect: Suspect): Promise<void> {
    return this.#commits.commit(partition, { offset, leaderEpoch }, JSON.stringify(suspect));
  }
}

function readNote(note: string): Suspect | undefined {
  if (note === '') return undefined;
  try {
    const suspect = JSON.parse(note) as Partial<{ busy: boolean; solo: number; document: number; dead: number[] }>;
    if (suspect.busy === true) return { solo: 0 };
    if (typeof suspect.solo === 'number') return { solo: suspect.solo };
    if (typeof suspect.document === 'number') return { document: suspect.document, dead: suspect.dead ?? [] };
  } catch {
    // A note of another program.
  }
  return undefined;
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
