import type { ParameterProblem } from '@headrace/engine';

/** Returns the host and port of each broker in a comma-separated list. */
export function brokersOf(bootstrapServers: string): string[] {
  return bootstrapServers
    .split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
}

/** Returns the problem of a list without brokers, or with an invalid entry. */
export function* checkBrokers(parameter: string, bootstrapServers: string): Generator<ParameterProblem> {
  const brokers = brokersOf(bootstrapServers);
  if (brokers.length > 0 && brokers.every((broker) => /^(\[[\da-f:.]+\]|[^\s:/]+):\d+$/i.test(broker))) return;
  yield {
    parameter,
    message: `${parameter} must name hosts and ports, was "${bootstrapServers}"`,
    hint: 'Write host:port pairs, such as broker1:9092,broker2:9092.',
  };
}
