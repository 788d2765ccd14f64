import { counted } from '@headrace/engine';
import { type ConsumerLag, healthOf } from '../health/consumer-lag.ts';
import type { ThreadHealth } from '../health/health-channel.ts';
import type { QueueCommits } from './queue-commits.ts';

/** The role is not ready if no message finishes for this time. */
const STUCK_SECONDS = 60;

/**
 * Returns the health of a thread that reads a topic. Never rejects.
 * @param partitions the partitions that the thread reads. Undefined while the group assigns them
 */
export async function readerHealth(
  lag: ConsumerLag,
  topic: string,
  partitions: readonly number[] | undefined,
  { idleMillis, open }: Pick<QueueCommits, 'idleMillis' | 'open'>,
): Promise<ThreadHealth> {
  const health = await healthOf([lag], workOf(topic, partitions));
  const seconds = Math.round(idleMillis / 1000);
  if (health.problem !== undefined || seconds < STUCK_SECONDS) return health;
  const problem = `${counted(open, 'message')} in progress, and none has finished for ${seconds} s: a stage or the destination does not answer`;
  return { ...health, problem };
}

function workOf(topic: string, partitions: readonly number[] | undefined): string {
  if (partitions === undefined) return 'waits for the consumer group to assign partitions';
  if (partitions.length === 0) return `reads no partition of ${topic}, because other processes read all`;
  return `reads ${partitions.length === 1 ? 'partition' : 'partitions'} ${partitions.join(', ')} of ${topic}`;
}
