import type { EditPath, PlainValue, Span, TextChange } from '@headrace/hocon';
import { applyChanges, EditError, insertItem, moveItem, removeItem, removeKey, setAt } from '@headrace/hocon';
import { changeValue, differenceOf } from './change-value.ts';
import { selectionIn } from './config-fixes.ts';
import type { Component, ConfigKnowledge } from './config-knowledge.ts';
import type { ConnectorItem, PipelineItem, StageItem } from './config-model.ts';
import { placeholderOf } from './insertions.ts';
import { ParsedConfig } from './parsed-config.ts';

// The edits of the outline and the forms, as changes of the text. All functions throw an EditError if the text cannot
// be edited at this place, for example because a list comes from a substitution, or because a bracket is not closed.

/** An edit that the outline makes. */
export interface ConfigEdit {
  readonly changes: readonly TextChange[];
  /** The part of the new text that the user types next, or that the editor shows. */
  readonly select: Span | undefined;
}

/**
 * Adds a stage of a class to a pipeline, with placeholders for its required parameters.
 * @param index the position in the pipeline, from 0; the end by default
 */
export function addStage(
  config: ParsedConfig,
  pipeline: Pick<PipelineItem, 'path' | 'stages'>,
  component: Component,
  knowledge: ConfigKnowledge,
  index: number = pipeline.stages.length,
): ConfigEdit {
  const list = [...pipeline.path, 'stages'];
  const value = { class: component.class, ...requiredOf(component, knowledge) };
  return inserted(config, list, index, value);
}

/** Moves a stage inside its pipeline, or a connector. `to` is its position after the move. */
export function moveComponent(
  config: ParsedConfig,
  item: Pick<StageItem | ConnectorItem, 'path'>,
  to: number,
): ConfigEdit {
  const { list, index } = placeOf(item.path);
  return { changes: moveItem(config.text, list, index, to, config.options), select: undefined };
}

/** Removes a stage or a connector, with its comments. */
export function removeComponent(config: ParsedConfig, item: Pick<StageItem | ConnectorItem, 'path'>): ConfigEdit {
  const { list, index } = placeOf(item.path);
  return { changes: removeItem(config.text, list, index, config.options), select: undefined };
}

/** Turns a stage off with `enabled: false`, or on again. The stage stays in the text and is still checked. */
export function setEnabled(config: ParsedConfig, stage: Pick<StageItem, 'path'>, enabled: boolean): ConfigEdit {
  const path = [...stage.path, 'enabled'];
  const isWritten = config.nodeAt(path) !== undefined;
  if (enabled && !isWritten) return { changes: [], select: undefined };
  return enabled ? removeParameter(config, stage, ['enabled']) : setParameter(config, stage, ['enabled'], false);
}

/**
 * Sets a parameter of a component.
 * @param keys the path of the parameter inside the component, such as `['conditions', 0, 'fields']`
 */
export function setParameter(
  config: ParsedConfig,
  item: Pick<StageItem, 'path'>,
  keys: EditPath,
  value: PlainValue,
): ConfigEdit {
  const path = [...item.path, ...keys];
  const changes = changeValue(config, path, value);
  return { changes, select: selectionIn(config, changes, path) };
}

/** Removes a parameter of a component. Does nothing if it is not set. */
export function removeParameter(config: ParsedConfig, item: Pick<StageItem, 'path'>, keys: EditPath): ConfigEdit {
  const path = [...item.path, ...keys];
  if (config.nodeAt(path) === undefined && config.fieldsAt(path).length === 0)
    return { changes: [], select: undefined };
  return { changes: removeKey(config.text, path, config.options), select: undefined };
}

/**
 * Adds a connector of a class, with placeholders for its required parameters.
 * @param pipeline the name of the pipeline that processes its documents
 */
export function addConnector(
  config: ParsedConfig,
  component: Component,
  knowledge: ConfigKnowledge,
  pipeline: string | undefined,
): ConfigEdit {
  const named: { [key: string]: PlainValue } = pipeline === undefined ? {} : { pipeline };
  const value = { class: component.class, ...named, ...requiredOf(component, knowledge) };
  return inserted(config, ['connectors'], sizeOf(config, ['connectors']), value);
}

/** Adds an empty pipeline. */
export function addPipeline(config: ParsedConfig, name: string): ConfigEdit {
  return inserted(config, ['pipelines'], sizeOf(config, ['pipelines']), { name, stages: [] });
}

/**
 * Selects an indexer by its type or class, and adds its block with placeholders for the required parameters. The block
 * of the previous indexer is kept, because its values may be needed again.
 */
export function setIndexer(config: ParsedConfig, component: Component, knowledge: ConfigKnowledge): ConfigEdit {
  const { type, class: className, block } = component;
  const [key, value, other] = type === undefined ? ['class', className, 'type'] : ['type', type, 'class'];
  const { options } = config;
  const has = (path: EditPath) => config.nodeAt(path) !== undefined;
  let { text } = config;
  const edit = (changes: readonly TextChange[]) => {
    text = applyChanges(text, changes);
  };
  if (has(['indexer'])) {
    edit(setAt(text, ['indexer', key], value, options));
    if (has(['indexer', other])) edit(removeKey(text, ['indexer', other], options));
  } else edit(setAt(text, ['indexer'], { [key]: value }, options));
  const parameters = requiredOf(component, knowledge);
  const needsBlock = block !== undefined && !has([block]) && Object.keys(parameters).length > 0;
  if (needsBlock) edit(setAt(text, [block], parameters, options));
  const changes = differenceOf(config.text, text);
  return { changes, select: needsBlock ? selectionIn(config, changes, [block]) : undefined };
}

function inserted(
  config: ParsedConfig,
  list: EditPath,
  index: number,
  value: { readonly [key: string]: PlainValue },
): ConfigEdit {
  const { text, options } = config;
  const isMissing = config.nodeAt(list) === undefined;
  const changes = isMissing ? setAt(text, list, [value], options) : insertItem(text, list, index, value, options);
  return { changes, select: itemSpan(config, changes, list, index) };
}

/** Returns the part of the new text where an element of a list is. */
function itemSpan(config: ParsedConfig, changes: readonly TextChange[], list: EditPath, index: number) {
  const edited = new ParsedConfig(applyChanges(config.text, changes), config.options);
  const node = edited.nodeAt([...list, index]);
  return node === undefined ? undefined : edited.spanOf(node);
}

/** Returns placeholders for the required parameters of a component. */
function requiredOf(component: Component, knowledge: ConfigKnowledge): { [key: string]: PlainValue } {
  const required = knowledge.parametersOf(component).filter(({ name, required }) => required && name !== 'class');
  return Object.fromEntries(required.map((parameter) => [parameter.name, placeholderOf(parameter)]));
}

/** Returns the list and the position of an element. */
function placeOf(path: EditPath): { list: EditPath; index: number } {
  const index = path.at(-1);
  if (typeof index === 'number') return { list: path.slice(0, -1), index };
  throw new EditError(`${path.join('.')} is not an element of a list in brackets`, undefined);
}

function sizeOf(config: ParsedConfig, list: EditPath): number {
  const node = config.nodeAt(list);
  return node?.kind === 'list' ? node.items.length : 0;
}
