import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadKafka } from '@headrace/components/kafka';
import { childOf, kindOf } from './slow-stage.mjs';

const { Admin, Consumer, compatibilityPartitioner } = await loadKafka();

/**
 * The number of messages that a killed process may repeat: 64 in progress (`MAX_OPEN_BATCHES` of the queue reader), and
 * those that have finished since the last commit, a second before. The slow stage finishes fewer than 64 in a second.
 */
const REPEATED_MESSAGES = 128;
/** A reader logs this when it gets a partition whose last owner was killed, or excluded by the group. */
const TAKEOVER = /The last owners? of partition (\d+) ended without finishing/g;

/** How often each partition of a topic was read again, because its owner had died. */
export function takeoversIn(roles, partitions) {
  const counts = new Array(partitions).fill(0);
  for (const { log } of roles) for (const [, partition] of log.matchAll(TAKEOVER)) counts[Number(partition)]++;
  return counts;
}

/** The number of lines of each id in the files of the indexers. */
export async function countCopies(folder) {
  const copies = new Map();
  for (const file of readdirSync(folder)) {
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      // A killed process may leave half a line.
      const id = /"id":"([^"]+)"/.exec(line)?.[1];
      if (id !== undefined && line.endsWith('}')) copies.set(id, (copies.get(id) ?? 0) + 1);
    }
  }
  return copies;
}

/** Returns the ids that the destination must have: each once at least, and no others. */
export function expectedIds(documents) {
  const ids = new Map();
  for (let number = 0; number < documents; number++) {
    const id = String(number);
    const kind = kindOf(id);
    if (kind === 'plain' || kind === 'parent') ids.set(id, id);
    if (kind === 'parent') ids.set(childOf(id), id);
  }
  return ids;
}

/**
 * Returns the ids with more copies than the deaths of the owners of their partitions explain. Each takeover of a
 * partition may repeat its documents once, so a document of a partition without takeovers has one copy.
 * @param expected the ids, with the id of the document in the source topic that they come from
 */
export function unexplained(copies, expected, { source, dest }) {
  const found = [];
  for (const [id, count] of copies) {
    const from = expected.get(id);
    if (from === undefined) found.push(id);
    else if (count > (1 + source[partitionOf(from, source.length)]) * (1 + dest[partitionOf(id, dest.length)]))
      found.push(id);
  }
  return found;
}

/**
 * Returns the maximum number of documents that processes may have repeated: for each death, the largest messages that
 * may have been in progress or not committed.
 * @param deaths how often processes that read the topic were killed, or excluded by the group
 * @param sizes the numbers of documents of its messages
 */
export function mostRepeated(deaths, sizes) {
  const largest = sizes.toSorted((a, b) => b - a).slice(0, REPEATED_MESSAGES);
  return deaths * largest.reduce((sum, one) => sum + one, 0);
}

/** The partition of an id, by the hash of Kafka's Java clients. */
function partitionOf(id, partitions) {
  return compatibilityPartitioner({}, Buffer.from(id)) % partitions;
}

/** Reads a topic. Returns the numbers of documents of its messages. */
export async function messageSizes(broker, topic, partitions) {
  const admin = new Admin({ clientId: 'kill-test', bootstrapBrokers: [broker] });
  const indexes = Array.from({ length: partitions }, (_, partitionIndex) => ({ partitionIndex, timestamp: -1n }));
  const [ends] = await admin.listOffsets({ topics: [{ name: topic, partitions: indexes }] });
  await admin.close();
  const total = ends.partitions.reduce((sum, { offset }) => sum + offset, 0n);
  const sizes = [];
  const consumer = new Consumer({ clientId: 'kill-test', bootstrapBrokers: [broker], groupId: `sizes-${topic}` });
  const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 100 });
  for await (const { headers } of total === 0n ? [] : stream) {
    const [, header] = [...headers].find(([name]) => String(name) === 'headrace');
    if (BigInt(sizes.push(JSON.parse(String(header)).count)) === total) break;
  }
  await stream.close();
  await consumer.close(true);
  return sizes;
}
