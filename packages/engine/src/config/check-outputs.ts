import { resolve } from 'node:path';
import type { Registry } from '../component/registry.ts';
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

/** An output that begins anew with each run, behind a source that does not: of all runs but the last nothing would be left. */
export async function warnOfOverwriting(
  connectors: readonly ConnectorConfig[],
  indexer: IndexerConfig | undefined,
  registry: Registry,
  list: ProblemList,
): Promise<void> {
  if (indexer === undefined || indexer.settings.sendEnabled === false) return;
  const Indexer = await registry.load({ ...indexer.entry, kind: 'indexer' });
  if (Indexer.overwrites?.(indexer.params as never) !== true) return;
  for (const { entry, params, pipeline, name } of connectors) {
    const Connector = await registry.load({ ...entry, kind: 'connector' });
    if (pipeline === undefined || Connector.goesOn?.(params as never) !== true) continue;
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_INVALID_VALUE',
      path: indexer.path,
      component: indexer.entry.name,
      message: `Each run overwrites what the last one wrote, and ${name} gives only what is new since then`,
      hint: `Set ${indexer.path}.append: true.`,
    });
  }
}
