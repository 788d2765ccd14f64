import { withDefaults } from '@headrace/engine';
import { expect, it } from 'vitest';
import { KafkaConnector } from './kafka-connector.ts';
import { RSSConnector } from './rss-connector.ts';

const kafka = { bootstrapServers: 'h:1', topic: 't', consumerGroupId: 'g', clientId: 'c', maxPollIntervalSecs: '60' };

it.each([
  [true, {}],
  [true, { continueOnTimeout: true }],
  [false, { continueOnTimeout: false }],
  [false, { maxMessages: 5 }],
])('reports whether a KafkaConnector is endless (%s) with %j', (endless, further) => {
  expect(KafkaConnector.endless(withDefaults(KafkaConnector.parameters, { kafka, ...further }))).toBe(endless);
});

it('an RSSConnector is endless only if it has a runDuration', () => {
  const rssURL = 'http://localhost/feed';
  expect(
    RSSConnector.endless(withDefaults(RSSConnector.parameters, { rssURL, runDuration: '30d', refreshIncrement: '5m' })),
  ).toBe(true);
  expect(RSSConnector.endless(withDefaults(RSSConnector.parameters, { rssURL }))).toBe(false);
});
