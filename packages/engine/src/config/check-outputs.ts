import type { Registry } from '../component/registry.ts';
import type { ComponentFile, ProblemList } from './check-component.ts';
import type { ConnectorConfig, IndexerConfig } from './ingest-config.ts';

/** Reports an output file that a connector also reads. The run would destroy the file while it reads it. */
export async function checkOutputs(
  indexer: IndexerConfig | undefined,
  registry: Registry,
  list: ProblemList,
): Promise<void> {
  const outputs = await outputsOf(indexer, registry, list);
  const reported = new Set<string>();
  for (const { owner, kind, where, text, target, component } of list.files) {
    if (owner !== 'connector' || kind === 'write' || reported.has(where.path)) continue;
    const output = outputs.find((output) => output.target === target);
    if (output === undefined) continue;
    reported.add(where.path);
    list.add({
      code: 'HR_CONFIG_INVALID_VALUE',
      ...where,
      component,
      message: `${writerOf(output)} would overwrite ${text}, which this connector reads`,
      hint: `Set ${output.where.path} to another file.`,
    });
  }
}

/** Warns of outputs that conflict with the sources of the documents. Expects a config without errors. */
export async function warnOfOutputs(
  connectors: readonly ConnectorConfig[],
  indexer: IndexerConfig | undefined,
  registry: Registry,
  list: ProblemList,
): Promise<void> {
  const outputs = await outputsOf(indexer, registry, list);
  const overwrites = indexer !== undefined && (await overwritesItself(indexer, registry));
  const whole = indexer === undefined ? undefined : await wholeRunParameter(indexer, registry);
  for (const { entry, params, pipeline, name } of connectors) {
    const Connector = await registry.load(entry, 'connector');
    for (const output of outputs) {
      if (Connector.meets?.(params as never, output.target) !== true) continue;
      list.add({
        severity: 'warning',
        code: 'HR_CONFIG_INVALID_VALUE',
        ...output.where,
        component: output.component,
        message: `${name} reads the folder of this file, and would read the file as a source`,
        hint: `Write the file to another folder, or exclude it in ${name}.`,
      });
    }
    if (pipeline === undefined || Connector.goesOn?.(params as never) !== true) continue;
    if (indexer !== undefined && whole !== undefined) {
      list.add({
        severity: 'warning',
        code: 'HR_CONFIG_INVALID_VALUE',
        path: indexer.path,
        component: indexer.entry.name,
        message: `${indexer.path}.${whole} needs all data in each run, but ${name} only reads data that is new since the previous run`,
        hint: `Let ${name} read everything, or use an indexer without ${indexer.path}.${whole}.`,
      });
    }
    if (!overwrites || indexer === undefined) continue;
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_INVALID_VALUE',
      path: indexer.path,
      component: indexer.entry.name,
      message: `Each run overwrites the output of the previous run, but ${name} only reads data that is new since that run`,
      hint: `Set ${indexer.path}.append: true.`,
    });
  }
}

/** Returns the files that a run would write. */
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

/**
 * Returns true if each run overwrites the output. If the source is incremental, the output then lacks the documents of
 * earlier runs.
 */
async function overwritesItself({ entry, params, settings }: IndexerConfig, registry: Registry): Promise<boolean> {
  if (settings.sendEnabled === false) return false;
  const Indexer = await registry.load(entry, 'indexer');
  return Indexer.overwrites?.(params as never) === true;
}

/** Returns the parameter that makes a run change the output as a whole. See `Indexer.needsWholeRun`. */
export async function wholeRunParameter(
  { entry, params, settings }: IndexerConfig,
  registry: Registry,
): Promise<string | undefined> {
  if (settings.sendEnabled === false) return undefined;
  const Indexer = await registry.load(entry, 'indexer');
  return Indexer.needsWholeRun?.(params as never);
}

function writerOf({ owner, component }: ComponentFile): string {
  return owner === 'stage' ? `The stage ${component}` : 'The indexer';
}
