import type { Registry } from '../component/registry.ts';
import type { ComponentFile, ProblemList } from './check-component.ts';
import type { ConnectorConfig, IndexerConfig } from './ingest-config.ts';

/** What writes the very file that a connector reads would destroy it while it is read. */
export async function checkOutputs(
  indexer: IndexerConfig | undefined,
  registry: Registry,
  list: ProblemList,
): Promise<void> {
  const outputs = await outputsOf(indexer, registry, list);
  const told = new Set<string>();
  for (const { owner, kind, where, text, target, component } of list.files) {
    if (owner !== 'connector' || kind === 'write' || told.has(where.path)) continue;
    const output = outputs.find((output) => output.target === target);
    if (output === undefined) continue;
    told.add(where.path);
    list.add({
      code: 'HR_CONFIG_INVALID_VALUE',
      ...where,
      component,
      message: `${writerOf(output)} would overwrite ${text}, which this connector reads`,
      hint: `Give ${output.where.path} another file.`,
    });
  }
}

/** Outputs that do not go well with where the documents come from; for a config without errors. */
export async function warnOfOutputs(
  connectors: readonly ConnectorConfig[],
  indexer: IndexerConfig | undefined,
  registry: Registry,
  list: ProblemList,
): Promise<void> {
  const outputs = await outputsOf(indexer, registry, list);
  const overwrites = indexer !== undefined && (await overwritesItself(indexer, registry));
  for (const { entry, params, pipeline, name } of connectors) {
    const Connector = await registry.load(entry, 'connector');
    for (const output of outputs) {
      if (Connector.meets?.(params as never, output.target) !== true) continue;
      list.add({
        severity: 'warning',
        code: 'HR_CONFIG_INVALID_VALUE',
        ...output.where,
        component: output.component,
        message: `${name} reads the folder that this file is in, and would take it for one of its source`,
        hint: `Write it to another folder, or have ${name} leave it out.`,
      });
    }
    if (!overwrites || pipeline === undefined || Connector.goesOn?.(params as never) !== true) continue;
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

/** The files that a run would write. */
async function outputsOf(
  indexer: IndexerConfig | undefined,
  registry: Registry,
  list: ProblemList,
): Promise<ComponentFile[]> {
  const writes = indexer !== undefined && (await writesFiles(indexer, registry));
  return list.files.filter(
    ({ owner, kind }) => kind === 'write' && (owner === 'stage' || (owner === 'indexer' && writes)),
  );
}

async function writesFiles({ entry, params, settings }: IndexerConfig, registry: Registry): Promise<boolean> {
  if (settings.sendEnabled === false) return false;
  const Indexer = await registry.load(entry, 'indexer');
  return Indexer.writesToStandardOutput?.(params as never) !== true;
}

/** An output that begins anew with each run: behind a source that does not, nothing would be left of all runs but the last. */
async function overwritesItself({ entry, params, settings }: IndexerConfig, registry: Registry): Promise<boolean> {
  if (settings.sendEnabled === false) return false;
  const Indexer = await registry.load(entry, 'indexer');
  return Indexer.overwrites?.(params as never) === true;
}

function writerOf({ owner, component }: ComponentFile): string {
  return owner === 'stage' ? `The stage ${component}` : 'The indexer';
}
