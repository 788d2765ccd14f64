import { expect, it } from 'vitest';
import { checkClientProperties } from './check-client-properties.ts';
import { rootOf } from './config-root.test.lib.ts';
import { type KafkaSettings, readKafkaSettings } from './kafka-settings.ts';

const KAFKA = { bootstrapServers: 'b:9092', consumerGroupId: 'g', maxPollIntervalSecs: 1, maxRequestSize: 1000 };

function problemsOf(more: object): string[] {
  const { settings } = readKafkaSettings(rootOf({ kafka: { ...KAFKA, ...more } }));
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
    'kafka.admin."sasl.mechanism": sasl.mechanism must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512',
    'kafka.admin."sasl.jaas.config": sasl.jaas.config must hold a username and a password',
  ]);
});

it('reports an invalid number', () => {
  expect(problemsOf({ consumer: { 'session.timeout.ms': 'long' } })).toEqual([
    'kafka.consumer."session.timeout.ms": session.timeout.ms must be a whole number, was "long"',
  ]);
});

it('warns of properties without effect, in one problem for each client', () => {
  const kafka = { ...KAFKA, consumer: { 'sesion.timeout.ms': 1, 'max.poll.records': 5 }, admin: { retries: 3 } };
  const { settings } = readKafkaSettings(rootOf({ kafka }));
  expect(checkClientProperties(settings as KafkaSettings)).toEqual([
    expect.objectContaining({
      severity: 'warning',
      path: 'kafka.consumer."sesion.timeout.ms"',
      message: 'sesion.timeout.ms, max.poll.records: these properties have no effect',
    }),
    expect.objectContaining({ severity: 'warning', message: 'retries: this property has no effect' }),
  ]);
});
