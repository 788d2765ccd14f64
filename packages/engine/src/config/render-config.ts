import { unescape as percentDecoded } from 'node:querystring';
import { type ConfigNode, type ObjectNode, render } from '@headrace/hocon';
import { escapeControls } from '../errors/plain-text.ts';

/** The text that replaces secrets in responses and logs. */
export const MASK = '******';

// If a key ends in one of these words, or contains one as a separate word, its value is a secret.
const SECRET =
  /pass(word|wd|phrase)s?$|(^|_)(pass|pwd|pw|sas|sig|cookie|jaas)(_|$)|secrets?(_|$)|(api|access|private|account|shared|master|signing|encryption|subscription)_?keys?(_|$)|token$|credentials?(_|$)|connection_?string$|authorization$/;
const AUTHORIZATION = /\b(Basic\s+)[A-Za-z0-9+/]{8,}={0,2}/g;
const URL_PASSWORD = /(:\/\/[^/?#\s:@]*:)[^/?#\s]*@/g;
// Matches `name=value` and `"name": "value"` inside a text: parameters of a URL, settings of a connection, headers. The
// character before the name must not be part of a name. Without this rule, the search would start again at every letter
// of a long text.
const NAME_IN_TEXT = /(?<![\w.-])([\w.-]+)["']?\s*[=:]\s*/g;
const VALUE_IN_TEXT = /(?:(?:Bearer|Basic)\s+)?(?:"[^"]*"|'[^']*'|[^\s&;,"'}]+)/iy;

/** A cache by key. Configs have few different keys, and each upload checks all of them. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 10_000;
const MAX_KNOWN_LENGTH = 64;

/** Returns true if the value of this key is a secret. */
export function isSecretKey(key: string): boolean {
  let secret = known.get(key);
  if (secret === undefined) {
    secret = soundsSecret(key);
    // Copies the key. A substring would keep the whole config text in memory.
    if (known.size < MAX_KNOWN && key.length <= MAX_KNOWN_LENGTH) known.set(Buffer.from(key).toString(), secret);
  }
  return secret;
}

function soundsSecret(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^a-zA-Z0-9]+/g, '_')
    .toLowerCase();
  return SECRET.test(words);
}

/** Masks the passwords in URLs, and the values of secret names, inside a text. */
export function maskText(text: string): string {
  // Every match contains one of these characters, so this check saves time.
  if (!text.includes(':') && !text.includes('=')) return text;
  const source = text.replace(URL_PASSWORD, `$1${MASK}@`);
  let masked = '';
  let from = 0;
  for (const { 0: sign, 1: name, index } of source.matchAll(NAME_IN_TEXT)) {
    VALUE_IN_TEXT.lastIndex = index + sign.length;
    if (index < from || !soundsSecret(name as string) || !VALUE_IN_TEXT.test(source)) continue;
    masked += source.slice(from, index + sign.length) + MASK;
    from = VALUE_IN_TEXT.lastIndex;
  }
  return masked + source.slice(from);
}

/**
 * Returns the config with masked secrets. Masks the values of secret keys wherever they appear, values from the
 * environment, and secrets inside other values.
 */
export function maskSecrets(root: ObjectNode): ObjectNode {
  return maskNode(root, false, secretTexts(root, false)) as ObjectNode;
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
  const pending: { node: ConfigNode; secret: boolean }[] = [{ node: root, secret: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, secret } = next;
    if (node.kind === 'object') {
      for (const [key, child] of node.entries) pending.push({ node: child, secret: secret || isSecretKey(key) });
    } else if (node.kind === 'list') {
      for (const item of node.items) pending.push({ node: item, secret });
    } else if (node.kind === 'string' && node.value.length >= MIN_SECRET) {
      if (secret || (withEnvironment && node.fromEnv === true)) found.add(node.value);
      else for (const password of urlPasswords(node.value)) found.add(password);
    }
  }
  // A text for people contains a secret of several lines, such as a private key, with escaped line breaks.
  for (const secret of [...found]) found.add(escapeControls(secret));
  return [...found].sort((a, b) => b.length - a.length).slice(0, MAX_SECRETS);
}

/** Returns the passwords in the URLs of a text, as written and percent-decoded. */
function urlPasswords(text: string): string[] {
  if (!text.includes('://')) return [];
  const found = Array.from(text.matchAll(URL_PASSWORD), ([all, before = '']) => all.slice(before.length, -1));
  return found.flatMap((password) => [password, percentDecoded(password)]).filter(({ length }) => length >= MIN_SECRET);
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

function maskNode(node: ConfigNode, secret: boolean, secrets: readonly string[]): ConfigNode {
  switch (node.kind) {
    case 'object': {
      const entries = new Map<string, ConfigNode>();
      for (const [key, child] of node.entries) entries.set(key, maskNode(child, secret || isSecretKey(key), secrets));
      return { ...node, entries };
    }
    case 'list':
      return { ...node, items: node.items.map((item) => maskNode(item, secret, secrets)) };
    case 'null':
      return node;
  }
  if (secret || node.fromEnv === true) {
    return { kind: 'string', value: MASK, origin: node.origin };
  }
  if (node.kind !== 'string') return node;
  const value = maskTexts(maskText(node.value), secrets);
  return value === node.value ? node : { ...node, value };
}
