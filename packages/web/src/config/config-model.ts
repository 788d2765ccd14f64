import type { ConfigNode, EditPath, ObjectNode, Span } from '@headrace/hocon';
import { type ParsedConfig, scalarText } from './parsed-config.ts';

/** A box of the outline. */
interface Item {
  /** The path as text, such as `pipelines.0.stages.2`. */
  readonly id: string;
  readonly path: EditPath;
  /** The name in the config, if it has one. */
  readonly name: string | undefined;
  /** The name that runs use: the one of the config, or the default. */
  readonly label: string;
  /** The part of the text that defines it. Undefined if an included file defines it. */
  readonly range: Span | undefined;
}

export interface ConnectorItem extends Item {
  readonly kind: 'connector';
  readonly className: string | undefined;
  /** The class without its package, such as `CSVConnector`. */
  readonly shortClass: string | undefined;
  /** The name of the pipeline that processes its documents. */
  readonly pipeline: string | undefined;
}

export interface StageItem extends Item {
  readonly kind: 'stage';
  readonly className: string | undefined;
  readonly shortClass: string | undefined;
  /** False for a stage with `enabled: false`. */
  readonly enabled: boolean;
  /** The number of conditions. */
  readonly conditions: number;
}

export interface PipelineItem extends Item {
  readonly kind: 'pipeline';
  readonly stages: readonly StageItem[];
}

export interface IndexerItem extends Item {
  readonly kind: 'indexer';
  readonly type: string | undefined;
  readonly className: string | undefined;
  readonly shortClass: string | undefined;
  /** False with `sendEnabled: false`: nothing is written. */
  readonly enabled: boolean;
}

export type ConfigItem = ConnectorItem | PipelineItem | StageItem | IndexerItem;

/** A connection between two boxes, by their ids. */
export interface ConfigLink {
  readonly from: string;
  readonly to: string;
}

/** A config as the outline shows it. */
export interface ConfigModel {
  readonly connectors: readonly ConnectorItem[];
  readonly pipelines: readonly PipelineItem[];
  readonly indexer: IndexerItem | undefined;
  readonly links: readonly ConfigLink[];
}

/** Returns the connectors, stages and the indexer of a config, and how they are connected. */
export function configModel(config: ParsedConfig): ConfigModel {
  const { root } = config;
  const connectors = elements(root.entries.get('connectors'), ['connectors']).map((element, i) =>
    connectorItem(config, element, i),
  );
  const pipelines = elements(root.entries.get('pipelines'), ['pipelines']).map((element, i) =>
    pipelineItem(config, element, i),
  );
  const indexer = indexerItem(config, root.entries.get('indexer'));
  return { connectors, pipelines, indexer, links: linksOf(connectors, pipelines, indexer) };
}

/** Returns the innermost box whose text contains an offset. */
export function itemAt(model: ConfigModel, offset: number): ConfigItem | undefined {
  const contains = ({ range }: ConfigItem) => range !== undefined && range.from <= offset && offset <= range.to;
  const pipeline = model.pipelines.find(contains);
  const { connectors, indexer } = model;
  return (
    pipeline?.stages.find(contains) ??
    pipeline ??
    connectors.find(contains) ??
    (indexer !== undefined && contains(indexer) ? indexer : undefined)
  );
}

/** Returns the connector, pipeline, stage or indexer with this id. */
export function itemWithId({ connectors, pipelines, indexer }: ConfigModel, id: string): ConfigItem | undefined {
  const all = [...connectors, ...pipelines, ...pipelines.flatMap(({ stages }) => stages), indexer];
  return all.find((item) => item?.id === id);
}

/** Returns the name of a class without its package or module: `com.kmwllc.lucille.stage.CopyFields` is `CopyFields`. */
export function shortClassName(className: string): string {
  const last = className.split('#').at(-1)!;
  return /^[\w$]+(?:\.[\w$]+)+$/.test(last) ? last.slice(last.lastIndexOf('.') + 1) : last;
}

/** An element of a list, and its path. */
interface Element {
  node: ConfigNode;
  path: EditPath;
}

/** Returns the elements of a list. An object whose keys are all numbers counts as a list. */
function elements(node: ConfigNode | undefined, path: EditPath): Element[] {
  if (node?.kind === 'list') return node.items.map((item, i) => ({ node: item, path: [...path, i] }));
  if (node?.kind !== 'object') return [];
  const keys = [...node.entries.keys()];
  if (!keys.every((key) => /^\d+$/.test(key))) return [];
  return keys
    .sort((a, b) => Number(a) - Number(b))
    .map((key) => ({ node: node.entries.get(key)!, path: [...path, key] }));
}

function member(node: ConfigNode, key: string): ConfigNode | undefined {
  return node.kind === 'object' ? node.entries.get(key) : undefined;
}

function classOf(node: ConfigNode): Pick<StageItem, 'className' | 'shortClass'> {
  const className = scalarText(member(node, 'class'));
  return { className, shortClass: className === undefined ? undefined : shortClassName(className) };
}

function itemOf(config: ParsedConfig, { node, path }: Element, otherwise: string): Item {
  const name = scalarText(member(node, 'name'));
  return { id: path.join('.'), path, name, label: name ?? otherwise, range: config.spanOf(node) };
}

function connectorItem(config: ParsedConfig, element: Element, index: number): ConnectorItem {
  const pipeline = scalarText(member(element.node, 'pipeline'));
  const item = itemOf(config, element, `connector_${index + 1}`);
  return { kind: 'connector', ...item, ...classOf(element.node), pipeline };
}

function pipelineItem(config: ParsedConfig, element: Element, index: number): PipelineItem {
  let position = 0;
  const stages = elements(member(element.node, 'stages'), [...element.path, 'stages']).map((stage): StageItem => {
    const enabled = !isFalse(member(stage.node, 'enabled'));
    if (enabled) position++;
    const conditions = elements(member(stage.node, 'conditions'), []).length;
    const item = itemOf(config, stage, enabled ? `stage_${position}` : 'disabled stage');
    return { kind: 'stage', ...item, ...classOf(stage.node), enabled, conditions };
  });
  return { kind: 'pipeline', ...itemOf(config, element, `pipeline ${index + 1}`), stages };
}

function indexerItem(config: ParsedConfig, node: ObjectNode | ConfigNode | undefined): IndexerItem | undefined {
  if (node?.kind !== 'object') return undefined;
  const type = scalarText(member(node, 'type'));
  const { className, shortClass } = classOf(node);
  const item = itemOf(config, { node, path: ['indexer'] }, type ?? shortClass ?? 'indexer');
  return { kind: 'indexer', ...item, type, className, shortClass, enabled: !isFalse(member(node, 'sendEnabled')) };
}

/** Returns true for the values that the service reads as false. */
function isFalse(node: ConfigNode | undefined): boolean {
  return ['false', 'no', 'off'].includes(scalarText(node) ?? '');
}

function linksOf(
  connectors: readonly ConnectorItem[],
  pipelines: readonly PipelineItem[],
  indexer: IndexerItem | undefined,
): ConfigLink[] {
  const links = connectors.flatMap(({ id, pipeline }) => {
    const to = pipelines.find(({ name }) => name === pipeline && name !== undefined);
    return to === undefined ? [] : [{ from: id, to: to.id }];
  });
  if (indexer === undefined) return links;
  return [...links, ...pipelines.map(({ id }) => ({ from: id, to: indexer.id }))];
}
