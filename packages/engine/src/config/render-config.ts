import { type ConfigNode, type ObjectNode, render } from '@headrace/hocon';
import { escapeControls } from '../errors/plain-text.ts';
import { isMaskedWhole, looksRandom, type Secrecy, secrecyOf } from './secret-names.ts';
import { MASK, maskText, secretsInside } from './secret-parts.ts';

const AUTHORIZATION = /\b(Basic\s+)[A-Za-z0-9+/]{8,}={0,2}/g;

/**
 * Returns the config with masked secrets. Masks the values of secret keys wherever they appear, values from the
 * environment, and secrets inside other values.
 */
export function maskSecrets(root: ObjectNode): ObjectNode {
  return maskNode(root, 'shown', secretTexts(root, false)) as ObjectNode;
}

/** The minimum length of a secret that is masked. Shorter values are too common in texts. */
const MIN_SECRET = 4;
/** The maximum number of secrets. Each one is searched for in every text. A normal config has fewer. */
const MAX_SECRETS = 100;

/**
 * Returns the secrets of a config as they may appear in other texts, such as messages. The longest is first.
 * @param withEnvironment true: also return values from the environment, which users of the service must not see
 */
export function secretTexts(root: ObjectNode, withEnvironment: boolean): string[] {
  const found = new Set<string>();
  const pending: { node: ConfigNode; secrecy: Secrecy }[] = [{ node: root, secrecy: 'shown' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, secrecy } = next;
    if (node.kind === 'object') {
      for (const [key, child] of node.entries) pending.push({ node: child, secrecy: secrecyOf(secrecy, key) });
    } else if (node.kind === 'list') {
      for (const item of node.items) pending.push({ node: item, secrecy });
    } else if (node.kind === 'string') {
      const isSecret = secrecy === 'secret' || (withEnvironment && node.fromEnv === true);
      for (const text of isSecret ? forms(node.value) : secretsInside(node.value)) found.add(text);
      if (secrecy === 'hidden' && looksRandom(node.value)) for (const text of forms(node.value)) found.add(text);
    }
  }
  // A text for people contains a secret of several lines, such as a private key, with escaped line breaks.
  const texts = new Set([...found, ...Array.from(found, escapeControls)]);
  return [...texts]
    .filter(({ length }) => length >= MIN_SECRET)
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_SECRETS);
}

/** Returns a secret, and without the scheme of a header `Authorization`. */
function forms(secret: string): string[] {
  return [secret, secret.replace(/^(Bearer|Basic|ApiKey|Token) +/i, '')];
}

/**
 * Masks these secrets in a text, and the credentials of an `Authorization` header. Some servers repeat a refused
 * request in their answer.
 */
export function maskTexts(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((some, secret) => some.replaceAll(secret, MASK), text);
  return masked.replace(AUTHORIZATION, `$1${MASK}`);
}

/** Returns a config as JSON, on one line if `indent` is absent. Secrets are included unless they were masked before. */
export function configToJson(root: ObjectNode, options: { indent?: number; sorted?: boolean } = {}): string {
  return render(root, { format: 'json', indent: options.indent ?? 0, sorted: options.sorted ?? false });
}

function maskNode(node: ConfigNode, secrecy: Secrecy, secrets: readonly string[]): ConfigNode {
  switch (node.kind) {
    case 'object': {
      const entries = new Map<string, ConfigNode>();
      for (const [key, child] of node.entries) entries.set(key, maskNode(child, secrecyOf(secrecy, key), secrets));
      return { ...node, entries };
    }
    case 'list':
      return { ...node, items: node.items.map((item) => maskNode(item, secrecy, secrets)) };
    case 'null':
      return node;
  }
  if (isMaskedWhole(secrecy) || node.fromEnv === true) {
    return { kind: 'string', value: MASK, origin: node.origin };
  }
  if (node.kind !== 'string') return node;
  const value = maskTexts(maskText(node.value), secrets);
  return value === node.value ? node : { ...node, value };
}
