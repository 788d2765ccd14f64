import { isForbidden, isPassing, kafkaError } from '@headrace/components/kafka';
import { HeadraceError, messageOf } from '@headrace/engine';
import type { KafkaSettings } from '../settings/kafka-settings.ts';

/** Returns the error of a topic that cannot be read, with what to do. */
export function explainRead({ bootstrapServers, groupId }: KafkaSettings, topic: string, error: unknown): Error {
  if (error instanceof HeadraceError) return error;
  if (isForbidden(error)) {
    const { message, hint } = kafkaError(bootstrapServers, error);
    const right = `the user of kafka.consumer needs the right to read the topic ${topic} and the group ${groupId}`;
    return new HeadraceError('HR_SOURCE_UNREADABLE', `${message}: ${right}`, hint === undefined ? {} : { hint });
  }
  return isPassing(error) || hasCode(error) ? kafkaError(bootstrapServers, error) : new Error(messageOf(error));
}

function hasCode(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('PLT_KFK');
}
