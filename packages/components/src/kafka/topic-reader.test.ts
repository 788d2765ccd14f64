import { NoticeCollector } from '@headrace/engine';
import type { Consumer } from '@platformatic/kafka';
import { expect, it } from 'vitest';
import { EARLIEST, TopicReader } from './topic-reader.ts';

/** A broker with a topic that may be created again, and a client that remembers what it knows about the topic. */
class Broker {
  id = 'first';
  messages: string[] = [];
  readonly warnings: string[] = [];
  readonly collector = new NoticeCollector();
  /** The first offset that was not deleted. */
  first = 0;
  #known: string | undefined;

  /** @param error the answer to a fetch with another identifier than that of the topic */
  constructor(error: string) {
    const client: unknown = {
      topics: { track: () => undefined },
      metadata: async () => {
        this.#known ??= this.id;
        return { topics: new Map([['t', { id: this.#known, partitions: [{ leader: 1 }] }]]) };
      },
      listOffsets: async ({ timestamp }: { timestamp: bigint }) =>
        new Map([['t', [BigInt(timestamp === EARLIEST ? this.first : this.messages.length)]]]),
      clearMetadata: () => {
        this.#known = undefined;
      },
      fetch: async ({ topics: [{ topicId, partitions }] }: FetchRequest) => {
        if (topicId !== this.id) {
          throw Object.assign(new Error(error), { code: 'PLT_KFK_PROTOCOL', apiId: error, canRetry: true });
        }
        const from = Number(partitions[0].fetchOffset);
        if (from < this.first) {
          const apiId = 'OFFSET_OUT_OF_RANGE';
          throw Object.assign(new Error(apiId), { code: 'PLT_KFK_PROTOCOL', apiId, canRetry: false });
        }
        const records = this.messages
          .slice(from)
          .map((value, offsetDelta) => ({ offsetDelta, value: Buffer.from(value), headers: [] }));
        const batch = { attributes: 0, firstOffset: BigInt(from), lastOffsetDelta: records.length - 1, records };
        // A real broker waits for messages.
        await new Promise((resolve) => setTimeout(resolve, 1));
        return { responses: [{ partitions: [{ partitionIndex: 0, records: records.length === 0 ? [] : [batch] }] }] };
      },
    };
    const ignore = () => undefined;
    this.reader = new TopicReader(client as Consumer, {
      topic: 't',
      reset: EARLIEST,
      maxBytes: 1,
      maxBytesPerPartition: 1,
      brokers: 'b:1',
      log: { debug: ignore, info: ignore, warn: (message) => void this.warnings.push(message), error: ignore },
      notices: this.collector.of({ component: 'c' }),
    });
  }

  readonly reader: TopicReader;

  /** Reads some messages. */
  async read(count: number): Promise<(string | undefined)[]> {
    const values: (string | undefined)[] = [];
    while (values.length < count) {
      const message = this.reader.read();
      if (message === undefined) await this.reader.wait();
      else values.push(message.value?.toString());
    }
    return values;
  }
}

interface FetchRequest {
  readonly topics: readonly [{ readonly topicId: string; readonly partitions: readonly [{ fetchOffset: bigint }] }];
}

it.each(['UNKNOWN_TOPIC_ID', 'INCONSISTENT_TOPIC_ID', 'FETCH_SESSION_TOPIC_ID_ERROR'])(
  'reads all messages of a topic that was created again and answers %s',
  async (error) => {
    const broker = new Broker(error);
    broker.messages = ['a', 'b'];
    broker.reader.assign(0, 0n);
    expect(await broker.read(2)).toEqual(['a', 'b']);
    broker.id = 'second';
    broker.messages = ['c', 'd', 'e'];
    expect(await broker.read(3)).toEqual(['c', 'd', 'e']);
    expect(broker.warnings).toContain('The topic t was created again. Reading continues with its first message');
    broker.reader.close();
  },
);

it('reports the messages that were deleted before they were read', async () => {
  const broker = new Broker('UNKNOWN_TOPIC_ID');
  broker.messages = ['a', 'b', 'c', 'd'];
  broker.first = 3;
  broker.reader.assign(0, 1n);
  expect(await broker.read(1)).toEqual(['d']);
  expect(broker.collector.list()).toMatchObject([
    { code: 'kafka.deletedMessages', class: 'loss', count: 2, examples: [{ file: 't[0]' }] },
  ]);
  broker.reader.close();
});
