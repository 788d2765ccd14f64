import type { Logger } from '@headrace/engine';
import { expect, it } from 'vitest';
import { rootOf } from '../settings/config-root.test.lib.ts';
import { readKafkaSettings } from '../settings/kafka-settings.ts';
import { EventWriter } from './event-writer.ts';
import type { OutgoingMessage } from './partition-writer.ts';

function settingsWith(more: object = {}) {
  const kafka = { bootstrapServers: 'broker:9092', consumerGroupId: 'g', maxPollIntervalSecs: 1, maxRequestSize: 1000 };
  const { settings } = readKafkaSettings(rootOf({ kafka: { ...kafka, ...more } }));
  if (settings === undefined) throw new Error('the settings are not valid');
  return settings;
}

/** A writer whose topics have all been deleted, or refuse all messages for another reason. */
class RefusingWriter {
  readonly topics: string[] = [];
  readonly warnings: string[] = [];
  readonly #error: Error;

  constructor(error: Error) {
    this.#error = error;
  }

  write({ topic }: OutgoingMessage): Promise<void> {
    this.topics.push(topic);
    return Promise.reject(this.#error);
  }

  events(more: object = {}): EventWriter {
    const log = { warn: (text: string) => void this.warnings.push(text) } as unknown as Logger;
    return new EventWriter(this, settingsWith(more), 'films', log);
  }
}

const UNKNOWN = Object.assign(new Error('no such topic'), { apiId: 'UNKNOWN_TOPIC_OR_PARTITION' });
const event = { value: Buffer.from('{}') };

it('warns once that a run has ended, also if several events are in progress, and writes no more for it', async () => {
  const writer = new RefusingWriter(UNKNOWN);
  const events = writer.events();
  await Promise.all([events.write('films_event_1', event), events.write('films_event_1', event)]);
  await events.write('films_event_1', event);
  expect(writer.topics).toEqual(['films_event_1', 'films_event_1']);
  expect(writer.warnings).toEqual([
    'The topic films_event_1 does not exist: its run has ended, or it was deleted. Its documents are still processed',
  ]);
});

it('knows that a run has ended from one of several errors of the client', async () => {
  const several = Object.assign(new Error('sending failed'), {
    errors: [Object.assign(new Error('no metadata'), { errors: [new Error('Unknown topic films_event_1.')] })],
  });
  const writer = new RefusingWriter(several);
  await writer.events().write('films_event_1', event);
  expect(writer.warnings).toHaveLength(1);
});

it('rejects with every other error, which names the topic, so that the message is processed again', async () => {
  const refused = Object.assign(new Error('not authorized'), { apiId: 'TOPIC_AUTHORIZATION_FAILED' });
  const writer = new RefusingWriter(refused);
  await expect(writer.events().write('films_event_1', event)).rejects.toThrow(
    'not authorized: the user of kafka.producer needs the right to write the topic films_event_1',
  );
  expect(writer.warnings).toEqual([]);
});

it('names no topic for a run_id that no run can have, and warns once', () => {
  const writer = new RefusingWriter(UNKNOWN);
  const events = writer.events();
  expect(events.topicOf('b7c5-1')).toBe('g_films_event_b7c5-1');
  expect([events.topicOf('a run/1'), events.topicOf('x'.repeat(300))]).toEqual([undefined, undefined]);
  expect(writer.warnings).toEqual([
    'The run_id of a document is "a run/1", which cannot be part of the name of a topic. The document is processed, but its result is not reported',
  ]);
});

it('uses a fixed topic for every run_id', () => {
  const events = new RefusingWriter(UNKNOWN).events({ eventTopic: 'all-events' });
  expect(events.topicOf('a run/1')).toBe('all-events');
});

it.each(['no such topic!', '', '.', '..'])('writes nothing to %j, which is not a valid topic name', async (topic) => {
  const writer = new RefusingWriter(UNKNOWN);
  await writer.events().write(topic, event);
  expect(writer.topics).toEqual([]);
});
