import type { ObjectNode } from '@headrace/hocon';
import { asList, isPresent, place } from '../component/config-nodes.ts';
import type { Problem } from '../errors/problem.ts';

/** Settings for pipelines in which other programs take part through topics with fixed names. */
const STREAM_KEYS = ['sourceTopic', 'eventTopic'] as const;

/**
 * The problem of a config that only a distributed run can execute; undefined if a run in one process can. The block
 * `kafka` alone does not say so: the reference ignores it in local runs, and the same config may run in both ways. But
 * without connectors, or with fixed topics, the documents come from other programs through Kafka.
 */
export function distributedOnly(root: ObjectNode): Problem | undefined {
  const kafka = root.entries.get('kafka');
  if (kafka?.kind !== 'object') return undefined;
  const fixed = STREAM_KEYS.find((key) => isPresent(kafka, key));
  const connectors = root.entries.get('connectors');
  const isFed = connectors !== undefined && (asList(connectors) ?? []).length > 0;
  if (fixed === undefined && isFed) return undefined;
  const path = fixed === undefined ? 'kafka' : `kafka.${fixed}`;
  const reason =
    fixed === undefined
      ? 'it has a block kafka and no connectors, so its documents come from Kafka'
      : `${path} names a topic that other programs share`;
  return {
    severity: 'error',
    code: 'HR_CONFIG_DISTRIBUTED',
    path,
    ...place((fixed === undefined ? root.keys.get('kafka') : kafka.keys.get(fixed)) ?? kafka.origin),
    component: 'kafka',
    message: `The config needs a distributed run, and the service runs configs in its own process: ${reason}`,
    hint:
      fixed === undefined
        ? 'Run it from the command line: headrace worker-indexer CONFIG.'
        : 'Run it from the command line: headrace worker-indexer CONFIG, or headrace run CONFIG --distributed with headrace worker and headrace indexer. To run it in the service, remove the setting.',
  };
}
