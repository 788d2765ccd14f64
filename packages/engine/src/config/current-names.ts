import type { ConfigNode, ObjectNode, Origin } from '@headrace/hocon';
import { asList, join, place, scalarText } from '../component/config-nodes.ts';
import type { Problem } from '../errors/problem.ts';
import { RENAMED_CLASSES, RENAMED_PARAMETERS, type RenamedParameter } from './released-names.ts';

/** A config in which the names of older releases of Lucille are replaced, and what was replaced. */
export interface CurrentNames {
  readonly root: ObjectNode;
  readonly problems: readonly Problem[];
}

const BLOCKS: ReadonlySet<string> = new Set(
  RENAMED_PARAMETERS.filter(({ kind }) => kind === 'block').map(({ component }) => component),
);

/**
 * Replaces the names that older releases of Lucille used by the current ones. Each is a warning with its position. A
 * config with the old and the current name of the same thing is refused. The given nodes do not change.
 */
export function currentNames(root: ObjectNode): CurrentNames {
  const renamer = new Renamer();
  const entries = new Map(root.entries);
  for (const block of BLOCKS) {
    const node = entries.get(block);
    if (node?.kind === 'object') entries.set(block, renamer.parameters('block', block, node, block, block));
  }
  const connectors = entries.get('connectors');
  if (connectors !== undefined) entries.set('connectors', renamer.components('connector', connectors, 'connectors'));
  const pipelines = entries.get('pipelines');
  if (pipelines !== undefined) {
    const renamed = inEach(pipelines, 'pipelines', (pipeline, path) => {
      const stages = pipeline.entries.get('stages');
      if (stages === undefined) return pipeline;
      return withEntry(pipeline, 'stages', renamer.components('stage', stages, `${path}.stages`));
    });
    entries.set('pipelines', renamed);
  }
  return renamer.problems.length === 0
    ? { root, problems: [] }
    : { root: { ...root, entries }, problems: renamer.problems };
}

class Renamer {
  readonly problems: Problem[] = [];

  components(kind: 'connector' | 'stage', list: ConfigNode, path: string): ConfigNode {
    return inEach(list, path, (node, at) => this.#component(kind, node, at));
  }

  #component(kind: 'connector' | 'stage', node: ObjectNode, path: string): ObjectNode {
    const classNode = node.entries.get('class');
    const written = classNode && scalarText(classNode);
    if (classNode === undefined || written === undefined) return node;
    const given = node.entries.get('name');
    const label = (given && scalarText(given)) ?? written;
    const name = shortName(kind, written);
    const renamed = RENAMED_CLASSES.find((each) => each.kind === kind && each.from === name);
    let current = node;
    if (renamed !== undefined) {
      this.#add('warning', `${path}.class`, classNode.origin, label, {
        message: `${renamed.from} is the name of Lucille ${renamed.last} and older: ${renamed.to} is used${renamed.note === undefined ? '' : `. ${renamed.note}`}`,
        hint: `Did you mean ${renamed.to}?`,
      });
      current = withEntry(node, 'class', { kind: 'string', value: renamed.to, origin: classNode.origin });
    }
    const component = renamed?.to ?? name;
    if (component === undefined) return current;
    if (component === 'AddRandomNestedField') current = this.#generators(current, path);
    return this.parameters(kind, component, current, path, label);
  }

  /** Replaces names in the stages that generate the values of a nested field. */
  #generators(node: ObjectNode, path: string): ObjectNode {
    const generators = node.entries.get('generators');
    if (generators?.kind !== 'object') return node;
    let current = generators;
    for (const [name, stage] of generators.entries) {
      if (stage.kind !== 'object') continue;
      const at = join(join(path, 'generators'), name);
      current = withEntry(current, name, this.#component('stage', stage, at));
    }
    return withEntry(node, 'generators', current);
  }

  parameters(
    kind: RenamedParameter['kind'],
    component: string,
    node: ObjectNode,
    path: string,
    label: string,
  ): ObjectNode {
    let current = node;
    for (const renamed of RENAMED_PARAMETERS) {
      if (renamed.kind !== kind || renamed.component !== component) continue;
      current = this.#parameter(renamed, current, path, label);
    }
    return current;
  }

  #parameter(renamed: RenamedParameter, node: ObjectNode, path: string, label: string): ObjectNode {
    const { from, last, conversion, why, instead } = renamed;
    const keys = from.split('.');
    const found = memberAt(node, keys);
    if (found === undefined || found.value.kind === 'null') return node;
    const { value, key } = found;
    const at = keys.reduce(join, path);
    const add = (severity: Problem['severity'], message: string, hint: string) =>
      this.#add(severity, at, key, label, { message, hint });
    const name = keys.at(-1) as string;
    if (instead !== undefined) {
      add('error', `${from} was removed after Lucille ${last}`, instead);
      return node;
    }
    if (renamed.to === undefined) {
      add('warning', `${from} has no effect: ${why}`, 'Remove it.');
      return without(node, keys);
    }
    const converted = convert(conversion, value, node, renamed.to);
    if ('refused' in converted) {
      add('error', `${from} of Lucille ${last} and older cannot be read: ${converted.refused}`, converted.hint);
      return node;
    }
    const to = converted.to.split('.');
    if (memberAt(node, to) !== undefined) {
      add(
        'error',
        `${from} is the name of ${converted.to} in Lucille ${last} and older, and both are set`,
        `Remove ${from}.`,
      );
      return without(node, keys);
    }
    const isSimple = conversion === undefined && keys.length === 1 && to.length === 1;
    add(
      'warning',
      `${from} is the name of Lucille ${last} and older: it is read as ${converted.to}`,
      isSimple ? `Rename ${name} to ${converted.to}.` : converted.hint,
    );
    let current = without(node, keys);
    for (const also of converted.also ?? []) current = without(current, [also]);
    return withMember(current, to, converted.value, key);
  }

  #add(
    severity: Problem['severity'],
    path: string,
    origin: Origin,
    component: string,
    { message, hint }: { readonly message: string; readonly hint: string },
  ): void {
    this.problems.push({ severity, code: 'HR_CONFIG_OLD_NAME', path, ...place(origin), component, message, hint });
  }
}

type Converted =
  | { readonly value: ConfigNode; readonly to: string; readonly hint: string; readonly also?: readonly string[] }
  | { readonly refused: string; readonly hint: string };

/** Returns the value under its current name. */
function convert(
  conversion: RenamedParameter['conversion'],
  value: ConfigNode,
  component: ObjectNode,
  to: string,
): Converted {
  const list: ConfigNode = { kind: 'list', items: [value], origin: value.origin };
  switch (conversion) {
    case 'list':
      return value.kind === 'list'
        ? { value, to, hint: `Write ${to}.` }
        : { value: list, to, hint: `Write ${to}: [ … ].` };
    case 'local-list': {
      const path = scalarText(value) ?? '';
      if (!/^[a-z][a-z0-9+.-]+:/i.test(path) || path.startsWith('file:'))
        return { value: list, to, hint: `Write ${to}: [ … ].` };
      return {
        refused: `the addresses of Apache VFS differ from those of ${to}`,
        hint: `Write ${to}: ["s3://bucket/folder/"], or the address of the other storage.`,
      };
    }
    case 'cloud': {
      const block = cloudOf(value);
      return { value, to: block, hint: `Write ${block} { … }.` };
    }
    case 'field-mapping':
      return fieldMapping(value, component.entries.get('dest'), to);
    default:
      return { value, to, hint: `Write ${to.replaceAll('.', ' { ')}${' }'.repeat(to.split('.').length - 1)}.` };
  }
}

/** Returns the block of the cloud whose options these are. */
function cloudOf(options: ConfigNode): string {
  const has = (key: string) => options.kind === 'object' && options.entries.has(key);
  if (has('pathToServiceKey')) return 'gcp';
  return has('connectionString') || has('accountName') ? 'azure' : 's3';
}

/** Returns the object for the lists `source` and `dest`: the items of the same position, or all to the only `dest`. */
function fieldMapping(source: ConfigNode, dest: ConfigNode | undefined, to: string): Converted {
  const hint = `Write ${to} { source: dest }.`;
  const sources = (asList(source) ?? []).map(scalarText);
  const dests = dest === undefined ? [] : (asList(dest) ?? []);
  if (sources.length === 0 || (dests.length !== sources.length && dests.length !== 1)) {
    return { refused: 'source and dest must be lists of the same length, or dest has one item', hint };
  }
  if (new Set(sources).size < sources.length) {
    return { refused: `a field is in source twice, but ${to} has each field once`, hint };
  }
  const entries = new Map(sources.map((name, i) => [name ?? '', (dests[i] ?? dests[0]) as ConfigNode]));
  const keys = new Map(sources.map((name) => [name ?? '', source.origin]));
  return { value: { kind: 'object', entries, keys, origin: source.origin }, to, hint, also: ['dest'] };
}

/** Returns the short name of a class of Lucille; undefined for a class of a module. */
function shortName(kind: 'connector' | 'stage', written: string): string | undefined {
  if (!written.includes('.') && !written.includes('#')) return written;
  const found = /^com\.kmwllc\.lucille\.(?:[a-z0-9]+\.)*(\w+)$/.exec(written);
  return found !== null && written.includes(kind) ? found[1] : undefined;
}

function memberAt(node: ObjectNode, keys: readonly string[]): { value: ConfigNode; key: Origin } | undefined {
  let value: ConfigNode = node;
  let origin = node.origin;
  for (const key of keys) {
    if (value.kind !== 'object') return undefined;
    const next = value.entries.get(key);
    if (next === undefined) return undefined;
    origin = value.keys.get(key) ?? next.origin;
    value = next;
  }
  return { value, key: origin };
}

function withEntry(node: ObjectNode, key: string, value: ConfigNode): ObjectNode {
  return node.entries.get(key) === value ? node : { ...node, entries: new Map(node.entries).set(key, value) };
}

function withMember(
  node: ObjectNode,
  [key = '', ...rest]: readonly string[],
  value: ConfigNode,
  at: Origin,
): ObjectNode {
  const present = node.entries.get(key);
  const inner: ObjectNode =
    present?.kind === 'object' ? present : { kind: 'object', entries: new Map(), keys: new Map(), origin: at };
  const keys = node.keys.has(key) ? node.keys : new Map(node.keys).set(key, at);
  return { ...withEntry(node, key, rest.length === 0 ? value : withMember(inner, rest, value, at)), keys };
}

function without(node: ObjectNode, [key = '', ...rest]: readonly string[]): ObjectNode {
  const value = node.entries.get(key);
  if (value === undefined) return node;
  const inner = rest.length > 0 && value.kind === 'object' ? without(value, rest) : undefined;
  if (inner !== undefined && inner.entries.size > 0) return withEntry(node, key, inner);
  const entries = new Map(node.entries);
  entries.delete(key);
  return { ...node, entries };
}

/** Changes the objects of a list. An object with numeric keys counts as a list. */
function inEach(list: ConfigNode, path: string, change: (node: ObjectNode, path: string) => ObjectNode): ConfigNode {
  const items = asList(list);
  if (items === undefined) return list;
  const changed = items.map((item, i) => (item.kind === 'object' ? change(item, `${path}[${i}]`) : item));
  if (changed.every((item, i) => item === items[i])) return list;
  return { kind: 'list', items: changed, origin: list.origin };
}
