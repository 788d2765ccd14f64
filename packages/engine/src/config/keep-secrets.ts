import {
  applyChanges,
  type ConfigNode,
  EditError,
  type EditPath,
  type ObjectNode,
  render,
  setAt,
} from '@headrace/hocon';
import { asList, join, place } from '../component/config-nodes.ts';
import type { Problem } from '../errors/problem.ts';
import { maskedSecrets } from './check-masked.ts';
import { readConfigText } from './read-config.ts';
import { maskSecrets } from './render-config.ts';
import { MASK } from './secret-parts.ts';

// A user edits the text of a stored config, in which the service has replaced the secrets with the mask. When the text
// comes back, each mask becomes the stored secret again. The user may not know the secret, so the new text must not send
// it to another place. These rules hold:
//
// - A mask becomes a secret only inside a component (or block) that is otherwise equal to the stored one. So no user can
//   keep a password and change the address, the proxy or the certificates that it is used with. A component may move to
//   another position.
// - The secret must appear in no other value of the new config. So no user can copy it with a substitution, for example
//   `${opensearch.password}`, into a value that is shown or sent elsewhere.

/** The keys that say nothing about where a component connects to. They may change while its secrets are kept. */
const FREE_KEYS: Readonly<Record<Unit['kind'], ReadonlySet<string>>> = {
  connector: new Set(['name', 'pipeline', 'docIdPrefix', 'collapse']),
  stage: new Set(['name', 'enabled', 'conditions', 'conditionPolicy']),
  block: new Set(),
};
/** An index is a part of the address of a search engine, but not its server. */
const FREE_BLOCK_KEYS: Readonly<Record<string, ReadonlySet<string>>> = {
  opensearch: new Set(['index']),
  elasticsearch: new Set(['index']),
};

const HINT =
  'The stored secret is kept only if the rest of its component stays unchanged, so that it is not sent elsewhere. ' +
  'Write the secret again, or undo the other changes.';

/** The text with its secrets, or the masks that cannot become a secret. */
export type KeptSecrets = { readonly text: string } | { readonly refused: readonly Problem[] };

interface ConfigSourceText {
  readonly text: string;
  readonly format: 'hocon' | 'json';
}

/** A component or a block at the top of a config: secrets stay inside of it. */
interface Unit {
  readonly kind: 'connector' | 'stage' | 'block';
  /** The name of a block. */
  readonly name: string;
  readonly node: ConfigNode;
  readonly path: EditPath;
}

/**
 * Replaces the masks in a text with the secrets of the stored config.
 * The text must be readable without errors.
 * @param stored the text whose secrets are kept
 */
export function keepSecrets({ text, format }: ConfigSourceText, stored: ConfigSourceText): KeptSecrets {
  const sentRoot = readRoot(text, format);
  const storedRoot = readRoot(stored.text, stored.format);
  const hidden = maskSecrets(storedRoot);
  const storedUnits = unitsOf(hidden);
  const kept = new Map<string, ConfigNode>();
  let edited = text;
  for (const unit of unitsOf(sentRoot)) {
    const masks = maskedIn(unit.node, unit.path);
    if (masks.length === 0) continue;
    const alike = storedUnits.filter((stored) => isSame(stored, unit));
    // Two components may differ in nothing but their secrets. The one at the same place is meant.
    const same = alike.find(({ path }) => keyOf(path) === keyOf(unit.path)) ?? alike[0];
    if (same === undefined) continue;
    for (const path of masks) {
      const inside = path.slice(unit.path.length);
      const secret = nodeAt(storedRoot, [...same.path, ...inside]);
      // A text that only looks like the mask is not a secret.
      if (secret === undefined || !differs(secret, nodeAt(hidden, [...same.path, ...inside]))) continue;
      const whole = withSecret(edited, path, secret, { text: stored.text, path: [...same.path, ...inside] });
      if (whole === undefined) continue;
      edited = whole;
      kept.set(keyOf(path), secret);
    }
  }
  const refused = maskedSecrets(sentRoot).filter(({ path }) => !kept.has(path));
  const moved = changesBeyond(sentRoot, readRoot(edited, format), kept);
  if (refused.length === 0 && moved.length === 0) return { text: edited };
  return { refused: [...refused, ...moved].map((problem) => ({ ...problem, severity: 'error', hint: HINT })) };
}

/**
 * Returns the text with a secret at a path, written as in the stored text, for example with its quotes or with a
 * substitution. Returns undefined if the text cannot be edited there.
 */
function withSecret(
  text: string,
  path: EditPath,
  secret: ConfigNode,
  stored: { readonly text: string; readonly path: EditPath },
): string | undefined {
  try {
    const changes = setAt(text, path, secret);
    const [place] = changes;
    const [written] = setAt(stored.text, stored.path, secret);
    if (place !== undefined && written !== undefined && changes.length === 1 && written.to > written.from) {
      const insert = stored.text.slice(written.from, written.to);
      const edited = applyChanges(text, [{ ...place, insert }]);
      const { root } = readConfigText(edited);
      if (root !== undefined && !differs(nodeAt(root, path), secret)) return edited;
    }
    return applyChanges(text, changes);
  } catch (error) {
    if (error instanceof EditError) return undefined;
    throw error;
  }
}

function readRoot(text: string, format: 'hocon' | 'json'): ObjectNode {
  const { root } = readConfigText(text, { format });
  if (root === undefined) throw new Error('A config with kept secrets cannot be read');
  return root;
}

function unitsOf(root: ObjectNode): Unit[] {
  const units: Unit[] = [];
  for (const [key, node] of root.entries) {
    if (key === 'connectors' && node.kind === 'list') {
      units.push(...node.items.map((item, i): Unit => ({ kind: 'connector', name: '', node: item, path: [key, i] })));
    } else if (key === 'pipelines' && node.kind === 'list') {
      for (const [i, pipeline] of node.items.entries()) {
        const stages = pipeline.kind === 'object' ? pipeline.entries.get('stages') : undefined;
        if (stages?.kind !== 'list') units.push({ kind: 'block', name: 'pipeline', node: pipeline, path: [key, i] });
        else {
          const path = [key, i, 'stages'];
          units.push(
            ...stages.items.map((item, k): Unit => ({ kind: 'stage', name: '', node: item, path: [...path, k] })),
          );
        }
      }
    } else units.push({ kind: 'block', name: key, node, path: [key] });
  }
  return units;
}

/** Returns whether a stored unit, with its secrets masked, is equal to one that was sent. */
function isSame(stored: Unit, sent: Unit): boolean {
  if (stored.kind !== sent.kind || stored.name !== sent.name) return false;
  const keys = FREE_BLOCK_KEYS[sent.kind === 'block' ? sent.name : ''] ?? FREE_KEYS[sent.kind];
  // A key that contains a mask itself may not change either.
  const free = new Set([...keys].filter((key) => maskedIn(nodeAt(sent.node, [key]), []).length === 0));
  return jsonWithout(stored.node, free) === jsonWithout(sent.node, free);
}

function jsonWithout(node: ConfigNode, keys: ReadonlySet<string>): string {
  if (node.kind !== 'object') return json(node);
  return json({ ...node, entries: new Map([...node.entries].filter(([key]) => !keys.has(key))) });
}

function json(node: ConfigNode): string {
  return render(node, { format: 'json', indent: 0, sorted: true });
}

/** Returns the paths of the values that contain the mask. */
function maskedIn(node: ConfigNode | undefined, path: EditPath): EditPath[] {
  if (node?.kind === 'object') return [...node.entries].flatMap(([key, child]) => maskedIn(child, [...path, key]));
  if (node?.kind === 'list') return node.items.flatMap((item, i) => maskedIn(item, [...path, i]));
  return node?.kind === 'string' && node.value.includes(MASK) ? [path] : [];
}

/** Returns a problem for each value that differs in the edited config, without those that were set on purpose. */
function changesBeyond(sent: ConfigNode, edited: ConfigNode, kept: ReadonlyMap<string, ConfigNode>): Problem[] {
  const problems: Problem[] = [];
  const compare = (before: ConfigNode | undefined, after: ConfigNode | undefined, path: EditPath) => {
    if (before?.kind === 'object' && after?.kind === 'object') {
      const keys = new Set([...before.entries.keys(), ...after.entries.keys()]);
      for (const key of keys) compare(before.entries.get(key), after.entries.get(key), [...path, key]);
      return;
    }
    if (before?.kind === 'list' && after?.kind === 'list') {
      const { length } = before.items.length > after.items.length ? before.items : after.items;
      for (let i = 0; i < length; i++) compare(before.items[i], after.items[i], [...path, i]);
      return;
    }
    const expected = kept.get(keyOf(path)) ?? before;
    if (!differs(expected, after)) return;
    problems.push({
      severity: 'error',
      code: 'HR_CONFIG_INVALID_VALUE',
      path: keyOf(path),
      ...(before === undefined ? {} : place(before.origin)),
      message: 'This value contains a stored secret that belongs to another place',
    });
  };
  compare(sent, edited, []);
  return problems;
}

function differs(a: ConfigNode | undefined, b: ConfigNode | undefined): boolean {
  return a === undefined || b === undefined ? a !== b : json(a) !== json(b);
}

function nodeAt(root: ConfigNode, path: EditPath): ConfigNode | undefined {
  let at: ConfigNode | undefined = root;
  for (const step of path) {
    if (typeof step === 'number') at = at === undefined ? undefined : asList(at)?.[step];
    else at = at?.kind === 'object' ? at.entries.get(step) : undefined;
  }
  return at;
}

/** Returns a path in the form of problems. */
function keyOf(path: EditPath): string {
  return path.reduce<string>((text, step) => join(text, step), '');
}
