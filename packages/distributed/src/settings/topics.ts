import { HeadraceError } from '@headrace/engine';
import { topicPrefix } from './config-identity.ts';
import type { KafkaSettings } from './kafka-settings.ts';
import { isTopicName } from './topic-name.ts';

/**
 * Returns the topic from which workers read the documents of a pipeline. Throws if the name of the pipeline cannot be
 * part of a topic name.
 */
export function sourceTopic(settings: KafkaSettings, pipeline: string): string {
  return checked(settings.sourceTopic ?? `${queueName(settings, pipeline)}_source`, pipeline);
}

/** Returns the topic from which indexers read processed documents. */
export function destTopic(settings: KafkaSettings, pipeline: string): string {
  return checked(`${queueName(settings, pipeline)}_dest`, pipeline);
}

/** Returns the dead-letter topic of a pipeline. */
export function failTopic(settings: KafkaSettings, pipeline: string): string {
  return checked(`${queueName(settings, pipeline)}_fail`, pipeline);
}

/** Returns the topic for the events of a run. */
export function eventTopic(settings: KafkaSettings, pipeline: string, runId: string): string {
  return checked(eventTopicName(settings, pipeline, runId), pipeline);
}

/** Returns the name of this topic, which brokers may refuse if the id of the run comes from another program. */
export function eventTopicName(settings: KafkaSettings, pipeline: string, runId: string): string {
  return settings.eventTopic ?? `${queueName(settings, pipeline)}_event_${runId}`;
}

/** Lucille names topics after the pipeline only. Otherwise two configs could have the same pipeline name. */
function queueName({ format, identity }: KafkaSettings, pipeline: string): string {
  return format === 'lucille' ? pipeline : `${topicPrefix(identity)}_${pipeline}`;
}

function checked(topic: string, pipeline: string): string {
  if (isTopicName(topic)) return topic;
  throw new HeadraceError('HR_CONFIG_INVALID_VALUE', `Invalid characters in pipelineName: ${pipeline}`, {
    hint: `The topic would be ${topic}. Use letters, digits, dots, hyphens and underscores, at most 249 in all.`,
  });
}
