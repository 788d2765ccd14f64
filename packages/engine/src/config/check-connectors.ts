import type { ObjectNode } from '@headrace/hocon';
import type { CatalogEntry } from '../component/catalog.ts';
import { commonParameters } from '../component/common-parameters.ts';
import { asList, kindName, place, scalarText } from '../component/config-nodes.ts';
import { silentLogger } from '../component/logger.ts';
import { checkParameters } from '../component/parameters.ts';
import type { Registry } from '../component/registry.ts';
import type { TObject } from '../component/schema.ts';
import { nearest } from '../errors/nearest.ts';
import type { PipelineConfig } from '../execution/pipeline-config.ts';
import { checkComponent, findClass, type ProblemList } from './check-component.ts';
import type { ConnectorConfig } from './ingest-config.ts';

const connectorKeys = commonParameters.connector as TObject;
const CONNECTOR_KEYS: ReadonlySet<string> = new Set(Object.keys(connectorKeys.properties));

interface CommonConnectorParameters {
  pipeline?: string;
  docIdPrefix: string;
  collapse: boolean;
}

/** Checks the list `connectors`. Returns the connectors without errors. */
export async function checkConnectors(
  root: ObjectNode,
  pipelines: readonly PipelineConfig[],
  registry: Registry,
  list: ProblemList,
): Promise<ConnectorConfig[]> {
  const node = root.entries.get('connectors');
  if (node === undefined || node.kind === 'null') {
    list.add({
      code: 'HR_CONFIG_MISSING_SECTION',
      path: 'connectors',
      message: 'Configuration does not contain key "connectors".',
      hint: 'Add connectors: [{class: "…", pipeline: "…"}].',
    });
    return [];
  }
  const items = node.kind === 'list' && node.items.length === 0 ? [] : asList(node);
  if (items === undefined) {
    list.add({
      code: 'HR_CONFIG_WRONG_TYPE',
      path: 'connectors',
      ...place(node.origin),
      message: `connectors is supposed to be a list, was "${kindName(node)}"`,
    });
    return [];
  }
  const connectors: ConnectorConfig[] = [];
  const names = new Set<string>();
  for (const [i, item] of items.entries()) {
    const path = `connectors[${i}]`;
    if (item.kind !== 'object') {
      list.add({
        code: 'HR_CONFIG_WRONG_TYPE',
        path,
        ...place(item.origin),
        message: `A connector is supposed to be a Config, was "${kindName(item)}"`,
      });
      continue;
    }
    const connector = await checkConnector(item, path, i + 1, pipelines, registry, list);
    if (names.has(connector.name)) {
      list.add({
        code: 'HR_CONFIG_DUPLICATE_NAME',
        path: `${path}.name`,
        ...place((item.entries.get('name') ?? item).origin),
        component: connector.name,
        message: `There are multiple connectors with the name ${connector.name}`,
        hint: 'A connector without a name is called connector_<position>.',
      });
    }
    names.add(connector.name);
    connectors.push(connector);
  }
  return connectors;
}

async function checkConnector(
  node: ObjectNode,
  path: string,
  position: number,
  pipelines: readonly PipelineConfig[],
  registry: Registry,
  list: ProblemList,
): Promise<ConnectorConfig> {
  const nameNode = node.entries.get('name');
  const name = (nameNode === undefined ? undefined : scalarText(nameNode)) ?? `connector_${position}`;
  const entry = await findClass('connector', node, path, registry, list, name);
  const own = checkParameters(connectorKeys, { ...node, entries: pickCommon(node) }, path);
  list.addAll(own.problems, name);
  const common = own.value as unknown as CommonConnectorParameters;
  if (common.pipeline !== undefined && !pipelines.some((pipeline) => pipeline.name === common.pipeline)) {
    const known = [...new Set(pipelines.map((pipeline) => pipeline.name))];
    const best = nearest(common.pipeline, known);
    list.add({
      code: 'HR_CONFIG_MISSING_PIPELINE',
      path: `${path}.pipeline`,
      ...place((node.entries.get('pipeline') ?? node).origin),
      component: name,
      message: `There is no pipeline ${common.pipeline}`,
      hint:
        known.length === 0
          ? 'The config defines no pipelines.'
          : `${best === undefined ? '' : `Did you mean ${best}? `}Known pipelines: ${known.join(', ')}.`,
    });
  }
  if (name === '') {
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_INVALID_VALUE',
      path: `${path}.name`,
      ...place((nameNode ?? node).origin),
      message: 'The name of the connector is empty',
      hint: `Write a name, or remove the key name: the connector is then called connector_${position}.`,
    });
  }
  const docIdPrefix = common.docIdPrefix ?? '';
  const params =
    entry === undefined
      ? undefined
      : await checkComponent(entry, node, path, name, CONNECTOR_KEYS, registry, list, (values, Class) => {
          new Class(values as never, { name, docIdPrefix, runId: '', log: silentLogger } as never);
        });
  if (params !== undefined && common.pipeline === undefined) {
    await warnOfMissingPipeline(entry as CatalogEntry, node, path, name, pipelines, registry, list);
  }
  return {
    entry: entry as ConnectorConfig['entry'],
    params: params ?? {},
    path,
    name,
    pipeline: common.pipeline,
    docIdPrefix,
    collapse: common.collapse === true,
  };
}

/**
 * Warns of a connector that needs a pipeline and has none. Not an error, because the connectors before it still run, as
 * in the reference.
 */
async function warnOfMissingPipeline(
  entry: CatalogEntry,
  node: ObjectNode,
  path: string,
  component: string,
  pipelines: readonly PipelineConfig[],
  registry: Registry,
  list: ProblemList,
): Promise<void> {
  const Class = await registry.load(entry, 'connector');
  if (Class.needsPipeline !== true) return;
  const [one, another] = pipelines;
  list.add({
    severity: 'warning',
    code: 'HR_CONFIG_MISSING_PARAMETER',
    path,
    ...place(node.origin),
    component,
    message: 'The connector has no pipeline to publish its documents to: it will fail',
    hint: `Add pipeline: ${one !== undefined && another === undefined ? one.name : '…'}.`,
  });
}

function pickCommon(node: ObjectNode): ObjectNode['entries'] {
  return new Map([...node.entries].filter(([key]) => CONNECTOR_KEYS.has(key)));
}
