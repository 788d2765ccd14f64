import type { PartitionPosition } from './kafka-source.ts';

/** Messages that were published and that the group does not know of yet. */
export interface Uncommitted {
  /** How far they go, by partition. */
  readonly positions: ReadonlyMap<number, PartitionPosition>;
  readonly messages: number;
}

const NOTHING: Uncommitted = { positions: new Map(), messages: 0 };

/** How far a run has read a topic, over all sources that it opens: one that is lost begins again at what was committed. */
export class ReadProgress {
  /** How many messages were read; those that come again count once. */
  received = 0;
  private committedMessages = 0;
  private readonly begin: Map<number, bigint> | undefined;
  private uncommitted = NOTHING;

  /** @param offsets where the run is to begin, by partition, whatever the group has committed */
  constructor(offsets: ReadonlyMap<number, bigint> | undefined) {
    this.begin = offsets === undefined ? undefined : new Map(offsets);
  }

  /**
   * Where a source has to begin, by partition: as the run was asked to, or behind what it has committed since. The
   * partitions that are missing begin where the group stands.
   */
  get offsets(): ReadonlyMap<number, bigint> | undefined {
    return this.begin;
  }

  /** Messages up to these positions were published. */
  published(positions: ReadonlyMap<number, PartitionPosition>, messages: number): void {
    const before = this.uncommitted;
    this.uncommitted = {
      positions: new Map([...before.positions, ...positions]),
      messages: before.messages + messages,
    };
  }

  get hasUncommitted(): boolean {
    return this.uncommitted.messages > 0;
  }

  /** What is to be committed: it is given once, unless it is put back. */
  take(): Uncommitted {
    const taken = this.uncommitted;
    this.uncommitted = NOTHING;
    return taken;
  }

  /** It could not be committed: the next attempt goes at least as far. */
  putBack({ positions, messages }: Uncommitted): void {
    const { uncommitted } = this;
    this.uncommitted = NOTHING;
    this.published(positions, messages);
    this.published(uncommitted.positions, uncommitted.messages);
  }

  committed({ positions, messages }: Uncommitted): void {
    this.committedMessages += messages;
    for (const [partition, { offset }] of positions) {
      if (this.begin?.has(partition) === true) this.begin.set(partition, offset);
    }
  }

  /** The source is lost: what was not committed comes again. */
  lost(): void {
    this.uncommitted = NOTHING;
    this.received = this.committedMessages;
  }
}
