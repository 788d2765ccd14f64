import type { ObjectNode } from '@headrace/hocon';
import type { CatalogEntry } from '../component/catalog.ts';
import { isPresent, join, kindName, place, scalarText } from '../component/config-nodes.ts';
import type { Indexer } from '../component/indexer.ts';
import { type IndexerSettings, indexerSettings } from '../component/indexer-settings.ts';
import { silentLogger } from '../component/logger.ts';
import { checkParameters } from '../component/parameters.ts';
import { missingPlugin, pluginClassNames } from '../component/plugin-classes.ts';
import type { Registry } from '../component/registry.ts';
import type { TObject } from '../component/schema.ts';
import { requiredKeys } from '../component/schema-parts.ts';
import { nearest } from '../errors/nearest.ts';
import type { Problem } from '../errors/problem.ts';
import { checkComponent, findClass, isAllowed, ProblemList } from './check-component.ts';
import { currentNames } from './current-names.ts';
import type { IndexerConfig } from './ingest-config.ts';
import { SECTIONS } from './sections.ts';

/** Keys that have an effect only if `maxRetries` is set. */
export const RETRY_KEYS = [
  'retryWaitDurationMs',
  'retryMaxWaitDurationMs',
  'retryRandomizationFactor',
  'retryableStatusCodes',
] as const;
/** Pairs of keys that are only valid together. */
export const PAIRS = [
  ['deletionMarkerField', 'deletionMarkerFieldValue'],
  ['deleteByFieldField', 'deleteByFieldValue'],
] as const;

/** Checks the block `indexer` and the block of the selected indexer. Returns undefined if there is an error. */
export async function checkIndexer(
  root: ObjectNode,
  registry: Registry,
  list: ProblemList,
): Promise<IndexerConfig | undefined> {
  const node = root.entries.get('indexer');
  if (node !== undefined && node.kind !== 'object' && node.kind !== 'null') {
    list.add({
      code: 'HR_CONFIG_WRONG_TYPE',
      path: 'indexer',
      ...place(node.origin),
      component: 'indexer',
      message: `indexer is supposed to be a Config, was "${kindName(node)}"`,
    });
    return undefined;
  }
  if (node === undefined || node.kind === 'null' || (!isPresent(node, 'class') && !isPresent(node, 'type'))) {
    const similar = node === undefined ? nearest('indexer', [...root.entries.keys()]) : undefined;
    list.add({
      code: 'HR_CONFIG_MISSING_CLASS',
      path: 'indexer',
      ...(node === undefined ? {} : place(node.origin)),
      component: 'indexer',
      message: 'No indexer.class or indexer.type specified in Config.',
      hint: similar === undefined ? 'Add indexer { type: "…" }.' : `Did you mean indexer instead of ${similar}?`,
    });
    return undefined;
  }
  const checked = checkParameters(indexerSettings, node, 'indexer', undefined, list.rules);
  list.addAll(checked.problems, 'indexer');
  const settings = checked.value as unknown as IndexerSettings;
  checkCombinations(node, settings, list);
  const entry = isPresent(node, 'class')
    ? await findClass('indexer', node, 'indexer', registry, list, 'indexer')
    : findType(node, registry, list);
  if (entry === undefined) {
    await checkMeantBlock(root, node, registry, list);
    return undefined;
  }
  warnOfOtherType(node, entry, registry, list);
  const block = blockOf(root, entry, list);
  if (block === undefined) return undefined;
  const path = entry.block ?? 'indexer';
  if (checked.problems.some((problem) => problem.severity === 'error')) {
    // If the block `indexer` has errors, only the schema of the indexer is checked: the `check` method needs valid
    // settings.
    list.addAll(checkParameters(entry.schema, block, path, new Set(), list.rules).problems, path);
    return undefined;
  }
  let deletesOldChildren = false;
  const params = await checkComponent(
    entry,
    block,
    path,
    path,
    new Set(),
    registry,
    list,
    (values, Class) => {
      const indexer = new Class(values as never, { runId: '', log: silentLogger, settings } as never) as Indexer;
      deletesOldChildren = indexer.deletesOldChildren;
    },
    { block: node, settings },
  );
  if (params === undefined) return undefined;
  if (settings.childrenField !== undefined && !deletesOldChildren) {
    list.add({
      code: 'HR_CONFIG_INVALID_VALUE',
      path: 'indexer.childrenField',
      ...place((node.entries.get('childrenField') ?? node).origin),
      component: 'indexer',
      message: `${entry.name} cannot delete old children (indexer.childrenField)`,
      hint: 'Remove childrenField. OpenSearch, Elasticsearch, Solr, Postgres and the vector stores support it.',
    });
    return undefined;
  }
  return { entry, params, path, settings };
}

/**
 * Returns true if the indexer of a config writes to the standard output of the process. Returns false for an invalid
 * config.
 */
export async function writesToStandardOutput(root: ObjectNode, registry: Registry): Promise<boolean> {
  const indexer = await checkIndexer(currentNames(root).root, registry, new ProblemList());
  return indexer !== undefined && usesStandardOutput(indexer, registry);
}

/** Returns true if a checked indexer writes to the standard output of the process. */
export async function usesStandardOutput(
  { entry, params, settings }: IndexerConfig,
  registry: Registry,
): Promise<boolean> {
  if (settings.sendEnabled === false) return false;
  const Class = await registry.load(entry, 'indexer');
  return Class.writesToStandardOutput?.(params as never) ?? false;
}

function findType(node: ObjectNode, registry: Registry, list: ProblemList): CatalogEntry | undefined {
  const typeNode = node.entries.get('type');
  const type = typeNode === undefined ? undefined : scalarText(typeNode);
  const entry = type === undefined ? undefined : registry.findIndexerType(type);
  if (entry === undefined) {
    const types = typesOf(registry);
    const pluginTypes = pluginClassNames('indexer').map((name) => name.replace(/^.*\.|Indexer$/g, ''));
    const best = type === undefined ? undefined : nearest(type, [...types, ...pluginTypes]);
    list.add({
      code: 'HR_CONFIG_UNKNOWN_CLASS',
      path: 'indexer.type',
      ...place((typeNode ?? node).origin),
      component: 'indexer',
      ...(missingPlugin('indexer', `${type}Indexer`) ?? {
        message: `Unknown indexer.type configuration of: '${type ?? ''}'`,
        hint: `${best === undefined ? '' : `Did you mean ${best}? `}Known types: ${types.join(', ')}.`,
      }),
    });
    return undefined;
  }
  const where = { path: 'indexer.type', ...place((typeNode ?? node).origin), component: 'indexer' };
  return isAllowed(entry, where, registry, list) ? entry : undefined;
}

function typesOf(registry: Registry): string[] {
  return registry.list('indexer').flatMap((indexer) => indexer.type ?? []);
}

/** Checks the block of the suggested indexer if the type or class is misspelt. */
async function checkMeantBlock(
  root: ObjectNode,
  node: ObjectNode,
  registry: Registry,
  list: ProblemList,
): Promise<void> {
  const given = (key: 'class' | 'type') => {
    const child = node.entries.get(key);
    return child === undefined ? undefined : scalarText(child);
  };
  const [className, type] = [given('class'), given('type')];
  if (missingPlugin('indexer', className ?? `${type}Indexer`) !== undefined) return;
  const meant =
    className !== undefined
      ? await registry.find('indexer', registry.suggest('indexer', className) ?? '')
      : registry.findIndexerType(nearest(type ?? '', typesOf(registry)) ?? '');
  const block = meant?.block === undefined ? undefined : root.entries.get(meant.block);
  if (meant?.block === undefined || block?.kind !== 'object') return;
  list.addAll(checkParameters(meant.schema, block, meant.block, new Set(), list.rules).problems, meant.block);
}

/** Warns if both `type` and `class` are given and differ. In that case, `class` is used. */
function warnOfOtherType(node: ObjectNode, entry: CatalogEntry, registry: Registry, list: ProblemList): void {
  const typeNode = isPresent(node, 'class') ? node.entries.get('type') : undefined;
  const type = typeNode === undefined ? undefined : scalarText(typeNode);
  if (typeNode === undefined || type === undefined || registry.findIndexerType(type) === entry) return;
  list.add({
    severity: 'warning',
    code: 'HR_CONFIG_UNUSED',
    path: 'indexer.type',
    ...place(typeNode.origin),
    component: 'indexer',
    message: `indexer.type has no effect, because indexer.class is ${entry.name}`,
    hint: 'Remove one of them.',
  });
}

/**
 * Returns the node with the parameters of the indexer. Returns an empty object for an indexer without a block, and for
 * an optional block that is absent.
 */
function blockOf(root: ObjectNode, entry: CatalogEntry, list: ProblemList): ObjectNode | undefined {
  const empty: ObjectNode = { kind: 'object', entries: new Map(), keys: new Map(), origin: root.origin };
  if (entry.block === undefined) return empty;
  const block = root.entries.get(entry.block);
  if (block === undefined || block.kind === 'null') {
    const required = requiredKeys(entry.schema);
    if (required.length === 0) return empty;
    const other = misnamedBlock(root, entry.block, required, entry.schema);
    if (other !== undefined) {
      list.misnamed.add(other);
      list.add({
        code: 'HR_CONFIG_MISSING_SECTION',
        path: join('', other),
        ...place(root.keys.get(other) ?? root.origin),
        component: 'indexer',
        message: `${entry.name} reads its parameters from the block ${entry.block}, but the config only has ${other}`,
        hint: `Rename ${other} to ${entry.block}.`,
      });
      const node = root.entries.get(other) as ObjectNode;
      list.addAll(checkParameters(entry.schema, node, other, new Set(), list.rules).problems, other);
      return undefined;
    }
    list.add({
      code: 'HR_CONFIG_MISSING_SECTION',
      path: entry.block,
      component: 'indexer',
      message: `No configuration setting found for key '${entry.block}'`,
      hint: `Add ${entry.block} { ${required.map((key) => `${key}: …`).join(', ')} }.`,
    });
    return undefined;
  }
  if (block.kind === 'object') return block;
  list.add({
    code: 'HR_CONFIG_WRONG_TYPE',
    path: entry.block,
    ...place(block.origin),
    component: 'indexer',
    message: `${entry.block} is supposed to be a Config, was "${kindName(block)}"`,
  });
  return undefined;
}

/**
 * Finds the top-level key that has the parameters of an indexer under a wrong name, such as `kafka` for `kafkaTopic`. A
 * key matches if it has all required parameters or a similar name.
 */
function misnamedBlock(
  root: ObjectNode,
  block: string,
  required: readonly string[],
  { properties }: TObject,
): string | undefined {
  const others = [...root.entries].filter(([key]) => !SECTIONS.includes(key) && root.substituted?.has(key) !== true);
  const fits = others.find(([, node]) => node.kind === 'object' && required.every((name) => isPresent(node, name)));
  if (fits !== undefined) return fits[0];
  return others.find(([key, node]) => {
    if (node.kind !== 'object' || node.entries.size === 0) return false;
    const names = [...node.entries.keys()];
    // A block of the engine may have the same name. Only the parameters in it show which block it is.
    if (block.startsWith(key)) return names.every((name) => Object.hasOwn(properties, name));
    return nearest(key, [block]) !== undefined && names.some((name) => Object.hasOwn(properties, name));
  })?.[0];
}

function checkCombinations(node: ObjectNode, settings: IndexerSettings, list: ProblemList): void {
  const report = (key: string, message: string, hint?: string, severity: Problem['severity'] = 'error') =>
    list.add({
      severity,
      code: severity === 'error' ? 'HR_CONFIG_INVALID_VALUE' : 'HR_CONFIG_UNUSED',
      path: join('indexer', key),
      ...place((node.entries.get(key) ?? node).origin),
      component: 'indexer',
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  const warn = (key: string, message: string, hint: string) => report(key, message, hint, 'warning');
  for (const [a, b] of PAIRS) {
    if (isPresent(node, a) === isPresent(node, b)) continue;
    const [given, missing] = isPresent(node, a) ? [a, b] : [b, a];
    report(given, `When one of indexer.${a} and indexer.${b} are set, both must be set.`, `Add ${missing}.`);
  }
  if (settings.maxRetries !== undefined && settings.maxRetries <= 0) {
    const message = 'indexer.maxRetries must be greater than 0 when specified.';
    report('maxRetries', message, 'Remove it to use the default.');
  }
  for (const key of RETRY_KEYS) {
    if (!isPresent(node, key) || isPresent(node, 'maxRetries')) continue;
    report(key, `indexer.${key} requires indexer.maxRetries to be set.`, 'Add maxRetries.');
  }
  if (settings.retryableStatusCodes.length === 0) {
    const message = 'indexer.retryableStatusCodes must not be empty when specified.';
    report('retryableStatusCodes', message, 'Remove it to use the default.');
  }
  for (const [i, status] of settings.retryableStatusCodes.entries()) {
    if (status === -1 || (status >= 100 && status <= 599)) continue;
    const message = `indexer.retryableStatusCodes[${i}] is ${status}, which is not an HTTP status`;
    report('retryableStatusCodes', message, 'Statuses are 100 to 599; -1 means that there was no answer.');
  }
  const { retryWaitDurationMs: first, retryMaxWaitDurationMs: longest } = settings;
  if (isPresent(node, 'retryWaitDurationMs') && isPresent(node, 'retryMaxWaitDurationMs') && first > longest) {
    const message = `indexer.retryWaitDurationMs is greater than indexer.retryMaxWaitDurationMs, which is ${longest} and limits it`;
    warn('retryWaitDurationMs', message, 'Raise retryMaxWaitDurationMs.');
  }
  if (settings.childrenField !== undefined && settings.indexOverrideField !== undefined) {
    const message =
      'indexer.childrenField needs one index: indexer.indexOverrideField may spread children over several';
    report('childrenField', message, 'Remove childrenField or indexOverrideField.');
  }
  const hidden = settings.whitelist.filter((field) => settings.blacklist?.includes(field));
  if (hidden.length > 0) {
    const message = `indexer.whitelist has no effect for ${hidden.join(', ')}, because indexer.blacklist contains the same fields`;
    warn('whitelist', message, 'Remove the fields from one of the two lists.');
  }
}
