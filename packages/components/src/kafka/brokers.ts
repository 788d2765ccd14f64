import type { ParameterProblem } from '@headrace/engine';

/** Host and port of each broker in a list with commas. */
export function brokersOf(bootstrapServers: string): string[] {
  return bootstrapServers
    .split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
}

/** The mistake of a list that names no broker, or something else. */
export function* checkBrokers(parameter: string, bootstrapServers: string): Generator<ParameterProblem> {
  const brokers = brokersOf(bootstrapServers);
  if (brokers.length > 0 && brokers.every((broker) => /^(\[[\da-f:.]+\]|[^\s:/]+):\d+$/i.test(broker))) return;
  yield {
    parameter,
    message: `${parameter} must name hosts and ports, was "${bootstrapServers}"`,
    hint: 'As broker1:9092,broker2:9092.',
  };
}
