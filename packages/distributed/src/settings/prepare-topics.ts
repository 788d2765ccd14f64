import type { Logger } from '@headrace/engine';
import type { KafkaSettings } from './kafka-settings.ts';
import { TopicAdmin } from './topic-admin.ts';
import { destTopic, failTopic, sourceTopic } from './topics.ts';

/**
 * Creates the missing topics of some pipelines. Returns the number of partitions of each topic, or nothing if the run
 * was stopped while no broker answered.
 */
export async function prepareTopics(
  settings: KafkaSettings,
  pipelines: readonly string[],
  log: Logger,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const wanted = pipelines.flatMap((pipeline) => [
    { topic: sourceTopic(settings, pipeline), partitions: settings.partitions },
    { topic: destTopic(settings, pipeline), partitions: settings.partitions },
    { topic: failTopic(settings, pipeline), partitions: 1 },
  ]);
  const admin = await TopicAdmin.open(settings, log);
  try {
    return await admin.ensure(wanted, signal);
  } catch (error) {
    if (signal.aborted) return new Map();
    throw error;
  } finally {
    await admin.close();
  }
}
