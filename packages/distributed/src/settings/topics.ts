import { HeadraceError } from '@headrace/engine';
import type { KafkaSettings } from './kafka-settings.ts';

/** Matches the topic names that brokers accept. */
const VALID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/**
 * Returns the topic from which workers read the documents of a pipeline. Throws if the name of the pipeline cannot be
 * part of a topic name.
 */
export function sourceTopic(settings: KafkaSettings, pipeline: string): string {
  return checked(settings.sourceTopic ?? `${pipeline}_source`, pipeline);
}

/** Returns the topic from which indexers read processed documents. */
export function destTopic(pipeline: string): string {
  return checked(`${pipeline}_dest`, pipeline);
}

/** Returns the dead-letter topic of a pipeline. */
export function failTopic(pipeline: string): string {
  return checked(`${pipeline}_fail`, pipeline);
}

/** Returns the topic for the events of a run. */
export function eventTopic(settings: KafkaSettings, pipeline: string, runId: string): string {
  return checked(settings.eventTopic ?? `${pipeline}_event_${runId}`, pipeline);
}

/** Whether brokers accept this name of a topic. */
export function isTopicName(topic: string): boolean {
  return VALID.test(topic);
}

function checked(topic: string, pipeline: string): string {
  if (isTopicName(topic)) return topic;
  throw new HeadraceError('HR_CONFIG_INVALID_VALUE', `Invalid characters in pipelineName: ${pipeline}`, {
    hint: `The topic would be ${topic}. Use letters, digits, dots, hyphens and underscores, at most 249 in all.`,
  });
}
