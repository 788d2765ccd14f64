import { expect, it } from 'vitest';
import { distributedOnly } from './check-distributed.ts';
import { readConfigText } from './read-config.ts';

const kafka = 'bootstrapServers: "b:9092", consumerGroupId: g, maxPollIntervalSecs: 1, maxRequestSize: 1000';
const connectors = 'connectors: [{ class: CSVConnector }]';

function problemOf(text: string) {
  const { root } = readConfigText(text);
  if (root === undefined) throw new Error('the config cannot be read');
  return distributedOnly(root);
}

it.each([
  connectors,
  'connectors: []',
  `${connectors}, kafka { ${kafka} }`,
  `${connectors}, kafka { ${kafka}, partitions: 8, documentFormat: lucille, stallTimeoutSecs: 5 }, worker { pipeline: p, maxRetries: 2 }`,
  `${connectors}, kafka { ${kafka}, sourceTopic: null }`,
  `${connectors}, kafka: 1`,
])('finds nothing in %s, which can run in one process', (text) => {
  expect(problemOf(text)).toBeUndefined();
});

it.each([
  [`connectors: [], kafka { ${kafka} }`, 'kafka', 'no connectors'],
  [`kafka { ${kafka} }`, 'kafka', 'no connectors'],
  [`${connectors}, kafka { ${kafka}, sourceTopic: feed }`, 'kafka.sourceTopic', 'that other programs share'],
  [`${connectors}, kafka { ${kafka}, eventTopic: events }`, 'kafka.eventTopic', 'that other programs share'],
])('refuses %s, and names the command', (text, path, reason) => {
  expect(problemOf(text)).toMatchObject({
    severity: 'error',
    code: 'HR_CONFIG_DISTRIBUTED',
    path,
    line: 1,
    message: expect.stringContaining(reason),
    hint: expect.stringContaining('headrace worker-indexer CONFIG'),
  });
});
