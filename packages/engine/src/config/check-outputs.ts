import { resolve } from 'node:path';
import type { ProblemList } from './check-component.ts';
import type { ConnectorConfig, IndexerConfig } from './ingest-config.ts';

/** An indexer that writes the file which a connector reads would destroy it while it is read. */
export function checkOutputs(
  connectors: readonly ConnectorConfig[],
  indexer: IndexerConfig | undefined,
  list: ProblemList,
): void {
  const output = indexer?.params['path'];
  if (typeof output !== 'string' || output === '-') return;
  for (const { name, path, params } of connectors) {
    for (const [key, value] of Object.entries(params)) {
      if (typeof value !== 'string' || resolve(value) !== resolve(output)) continue;
      list.add({
        code: 'HR_CONFIG_INVALID_VALUE',
        path: `${path}.${key}`,
        component: name,
        message: `The indexer would overwrite ${value}, which this connector reads`,
        hint: `Give ${indexer?.path}.path another file.`,
      });
    }
  }
}
