import { createLogger } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { message, outcome } from './message.test.lib.ts';
import { PoisonMessages, type Range } from './poison-messages.ts';
import { BUSY } from './queue-commits.ts';

const silent = createLogger('test', () => undefined);

/** A document ended the process. */
class Killed extends Error {}

/**
 * Simulates the processes that read one partition, one process after the other. A message is a list of document
 * numbers. A document in `killers` ends its process. The next process starts with the stored offset and note.
 */
class Owners {
  readonly messages: readonly (readonly number[])[];
  readonly killers: ReadonlySet<number>;
  readonly maxRetries: number;
  offset = 0;
  note = '';
  /** The number of times that each document was processed, and the number of times that it ended a process. */
  readonly finished: number[] = [];
  readonly deaths = new Map<number, number>();
  readonly dead: number[] = [];
  owners = 0;

  constructor(messages: readonly (readonly number[])[], killers: Iterable<number>, maxRetries: number) {
    this.messages = messages;
    this.killers = new Set(killers);
    this.maxRetries = maxRetries;
  }

  /** Starts a process after each that died, until one has read all messages. Throws if that takes too many. */
  async readAll(most: number): Promise<void> {
    for (;;) {
      if (++this.owners > most) throw new Error(`${most} processes were not enough`);
      try {
        await this.#own();
        return;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    }
  }

  async #own(): Promise<void> {
    const poison = new PoisonMessages(
      this.maxRetries,
      {
        commit: async (_, { offset }, note) => {
          if (Number(offset) < this.offset) throw new Error('The offset moved backwards');
          this.offset = Number(offset);
          this.note = note;
        },
      },
      silent,
    );
    this.note = poison.gained(0, BigInt(this.offset), this.note);
    for (let at = this.offset; at < this.messages.length; at++) {
      const one = message({ offset: at });
      const documents = this.messages[at] as readonly number[];
      if (!poison.covers(one)) {
        this.#process(documents);
        this.offset = at + 1;
        continue;
      }
      const process = async (ranges: readonly Range[]) => {
        for (const [from, to] of ranges) this.#process(documents.slice(from, to));
        return { outcome: outcome({}), origin: undefined };
      };
      const { dead } = await poison.process(
        one,
        documents.length,
        () => process([[0, documents.length]]),
        async ({ safe, unknown }, begin) => {
          await process(safe);
          for (const range of unknown) {
            await begin(range);
            await process([range]);
          }
          return { outcome: outcome({}), origin: undefined };
        },
      );
      this.dead.push(...dead.map((number) => documents[number] as number));
      await poison.finished(one, documents.length > 1);
    }
  }

  #process(documents: readonly number[]): void {
    const killer = documents.find((document) => this.killers.has(document));
    if (killer !== undefined) {
      this.deaths.set(killer, (this.deaths.get(killer) ?? 0) + 1);
      throw new Killed();
    }
    this.finished.push(...documents);
  }
}

/** Returns messages with these numbers of documents. The documents are numbered. */
function messagesOf(counts: readonly number[]): number[][] {
  let next = 0;
  return counts.map((count) => Array.from({ length: count }, () => next++));
}

describe('the search for poison messages', () => {
  it('does not begin if the last owner stopped normally, or if there was no owner', () => {
    const poison = new PoisonMessages(3, { commit: async () => undefined }, silent);
    for (const note of ['', 'a note of another program', '{"other":1}', '{"busy":false}']) {
      expect(poison.gained(0, 0n, note)).toBe(BUSY);
      expect(poison.covers(message({}))).toBe(false);
    }
  });

  it('begins if two owners have died among the same messages, with a warning', () => {
    const logged: string[] = [];
    const log = createLogger('test', (record) => logged.push(`${record.level}: ${record.message}`));
    const poison = new PoisonMessages(3, { commit: async () => undefined }, log);
    const note = poison.gained(2, 100n, BUSY);
    expect(poison.covers(message({ partition: 2 }))).toBe(false);
    // The second owner has finished one message less than all that the first one may have had in progress.
    expect(poison.gained(2, 611n, note)).toBe('{"solo":0}');
    expect(poison.covers(message({ partition: 2 }))).toBe(true);
    expect(poison.covers(message({ partition: 1 }))).toBe(false);
    expect(logged).toEqual([
      'warn: The last owner of partition 2 ended without finishing its messages. They are processed again',
      'warn: The last owners of partition 2 ended without finishing the same messages. The next 64 batches, or 512 documents, are processed one by one',
    ]);
  });

  it('does not begin if the second owner has died at later messages', () => {
    const poison = new PoisonMessages(3, { commit: async () => undefined }, silent);
    const note = poison.gained(0, 100n, BUSY);
    expect(poison.gained(0, 612n, note)).toBe('{"busy":true,"to":1124}');
    expect(poison.covers(message({}))).toBe(false);
  });

  it('continues at the committed offset, with the note of the last owner', () => {
    const poison = new PoisonMessages(3, { commit: async () => undefined }, silent);
    for (const note of ['{"solo":2}', '{"range":[0,32],"dead":[]}']) expect(poison.gained(0, 0n, note)).toBe(note);
  });

  it.each([
    ['batches', 2, 64],
    ['single documents', 1, 512],
  ])('ends after as many %s as one owner can have in progress', async (_, count, many) => {
    const owners = new Owners(messagesOf(new Array(many + 3).fill(count)), [0], 1);
    await owners.readAll(6);
    // The last owner has read all messages. Its note is that of an owner that reads normally.
    expect(owners.note).toBe(BUSY);
  });

  it.each([1, 2, 3, 5])('rejects a single document after exactly %i tries alone', async (maxRetries) => {
    const owners = new Owners(messagesOf([1, 1, 1]), [1], maxRetries);
    await owners.readAll(maxRetries + 3);
    expect(owners.dead).toEqual([1]);
    // The first two processes died while they read normally.
    expect(owners.deaths.get(1)).toBe(maxRetries + 2);
    expect(new Set(owners.finished)).toEqual(new Set([0, 2]));
  });

  it('finds every document of a batch that ends its process, and finishes all others', async () => {
    const owners = new Owners(messagesOf([10, 200, 10]), [10, 11, 60, 209], 2);
    await owners.readAll(30);
    expect(owners.dead.sort((a, b) => a - b)).toEqual([10, 11, 60, 209]);
    expect(new Set(owners.finished).size).toBe(216);
    for (const killer of owners.killers) expect(owners.finished).not.toContain(killer);
  });

  it('blames no document if a process is killed for another reason any number of times', async () => {
    const owners = new Owners(messagesOf([5, 5, 5]), [], 1);
    for (let kills = 0; kills < 10; kills++) {
      // An owner that reads normally was killed before it finished any document.
      owners.note = BUSY;
      owners.offset = 0;
      await owners.readAll(kills + 1);
    }
    expect(owners.dead).toEqual([]);
  });

  it('finds exactly the documents that end their process, for any messages and limits', async () => {
    const plan = fc
      .array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 100 })), { minLength: 1, maxLength: 8 })
      .chain((counts) => {
        const total = counts.reduce((sum, count) => sum + count, 0);
        return fc.tuple(fc.constant(counts), fc.uniqueArray(fc.nat(total - 1), { maxLength: 5 }));
      });
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 4 }), async ([counts, killers], maxRetries) => {
        const messages = messagesOf(counts);
        const owners = new Owners(messages, killers, maxRetries);
        // Each killer costs all tries of its message, one process for its range and one for itself. The first two
        // processes read normally, so they are two more.
        await owners.readAll(2 + killers.length * (maxRetries + 4));
        expect(owners.dead.toSorted((a, b) => a - b)).toEqual(killers.toSorted((a, b) => a - b));
        const alive = messages.flat().filter((document) => !killers.includes(document));
        expect([...new Set(owners.finished)].sort((a, b) => a - b)).toEqual(alive);
        expect(owners.offset).toBe(messages.length);
      }),
    );
  });
});
