import type { ConfigNode } from '@headrace/hocon';
import type { Component, ConfigKnowledge } from './config-knowledge.ts';
import type { ConfigModel, StageItem } from './config-model.ts';
import { type ParsedConfig, scalarText } from './parsed-config.ts';

/** Parameters that contain names of fields. */
const NAMES_FIELDS =
  /^(?:source|src|dest|destination|input|output|field|fields|fieldNames?|fieldsTo[A-Z]\w*|\w+Fields?)$/;

/** Parameters whose keys are names of fields. The values of the first ones are names of fields too. */
const MAPS_FIELDS = /^(?:fieldMapping|fieldsMapping|destinationFields)$/;
const SETS_FIELDS = /^(?:staticValues|defaultInputs|jsonFieldPaths)$/;

/** Returns true if the values of a parameter are names of fields. */
export function namesFields(parameter: string): boolean {
  return NAMES_FIELDS.test(parameter) || parameter === 'fieldMapping';
}

/** Returns true if the keys inside a parameter are names of fields. */
export function hasFieldKeys(parameter: string): boolean {
  return MAPS_FIELDS.test(parameter) || SETS_FIELDS.test(parameter);
}

/**
 * Returns the names of fields that documents of a pipeline probably have before one of its stages: fields that its
 * connectors and earlier stages name. Fields of later stages are not included.
 * @param stage the path of the stage; without it, all stages count
 * @param others names that the caller knows, such as the columns of a CSV file
 */
export function knownFields(
  config: ParsedConfig,
  model: ConfigModel,
  knowledge: ConfigKnowledge,
  pipeline: number,
  stage: number | undefined,
  others: readonly string[] = [],
): string[] {
  const names = new Set<string>(others);
  const item = model.pipelines[pipeline];
  for (const connector of model.connectors) {
    if (connector.pipeline !== item?.name) continue;
    const component = knowledge.component('connector', connector.className);
    addDefaults(component, knowledge, config, connector.path, names);
    addParameters(config.nodeAt(connector.path), names);
  }
  for (const [i, { path, className }] of (item?.stages ?? ([] as readonly StageItem[])).entries()) {
    if (stage !== undefined && i >= stage) break;
    addDefaults(knowledge.component('stage', className), knowledge, config, path, names);
    addParameters(config.nodeAt(path), names);
  }
  names.add('id');
  return [...names].filter((name) => name !== '');
}

/** Adds the fields that a component writes if their parameters are not set. */
function addDefaults(
  component: Component | undefined,
  knowledge: ConfigKnowledge,
  config: ParsedConfig,
  path: ConfigModel['connectors'][number]['path'],
  names: Set<string>,
): void {
  if (component === undefined) return;
  for (const { name, default: value } of knowledge.parametersOf(component)) {
    const isSet = config.nodeAt([...path, name]) !== undefined;
    if (!isSet && /Field$/.test(name) && typeof value === 'string') names.add(value);
  }
}

function addParameters(node: ConfigNode | undefined, names: Set<string>): void {
  if (node?.kind !== 'object') return;
  for (const [key, value] of node.entries) {
    if (hasFieldKeys(key) && value.kind === 'object') for (const name of value.entries.keys()) names.add(name);
    if (namesFields(key)) addTexts(value, names);
    else if (key === 'conditions' && value.kind === 'list') {
      for (const condition of value.items) {
        if (condition.kind === 'object') addTexts(condition.entries.get('fields'), names);
      }
    }
  }
}

function addTexts(node: ConfigNode | undefined, names: Set<string>): void {
  if (node?.kind === 'list') for (const item of node.items) addTexts(item, names);
  else if (node?.kind === 'object') for (const value of node.entries.values()) addTexts(value, names);
  else {
    const text = scalarText(node);
    if (text !== undefined) names.add(text);
  }
}
