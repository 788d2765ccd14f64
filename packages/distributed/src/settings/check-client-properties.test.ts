import { expect, it } from 'vitest';
import { checkClientProperties } from './check-client-properties.ts';
import { readKafkaSettings } from './kafka-settings.ts';

function problemsOf(more: object): string[] {
  const kafka = { bootstrapServers: 'b:9092', consumerGroupId: 'g', maxPollIntervalSecs: 1, maxRequestSize: 1000 };
  const { settings } = readKafkaSettings({ kafka: { ...kafka, ...more } });
  if (settings === undefined) throw new Error('the settings are not valid');
  return checkClientProperties(settings).map(({ path, message }) => `${path}: ${message}`);
}

const jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";';
const login = { 'sasl.mechanism': 'PLAIN', 'sasl.jaas.config': jaas };

it('accepts clients that all have a login', () => {
  expect(problemsOf({ securityProtocol: 'SASL_SSL', consumer: login, producer: login, admin: login })).toEqual([]);
});

it('names the client whose login is missing', () => {
  const problems = problemsOf({ securityProtocol: 'SASL_SSL', consumer: login, producer: login });
  expect(problems).toEqual([
    expect.stringMatching(
      /^kafka\.admin\."sasl\.mechanism": sasl\.mechanism must be one of .*PLAIN.*, was "undefined"$/,
    ),
    'kafka.admin."sasl.jaas.config": sasl.jaas.config must hold a username and a password',
  ]);
});

it('reports an invalid number, and ignores properties that only Java has', () => {
  expect(problemsOf({ consumer: { 'session.timeout.ms': 'long', 'max.poll.records': 5 } })).toEqual([
    'kafka.consumer."session.timeout.ms": session.timeout.ms must be a whole number, was "long"',
  ]);
});
