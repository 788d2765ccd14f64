import { unescape as percentDecoded } from 'node:querystring';
import { isHarmlessParameter, isSecretKey, looksRandom } from './secret-names.ts';

/** The text that replaces secrets in responses and logs. */
export const MASK = '******';

/** A secret in a text, from the position `from` to `to`. */
interface SecretPart {
  readonly from: number;
  readonly to: number;
  /** The position of the name of the secret, if it has one. */
  readonly nameFrom?: number;
  /** Whether only its place makes it a secret, as that of an unknown parameter in a URL. It may be a common word. */
  readonly mayBeCommon?: boolean;
}

/** A URL. The position after its first letters must not start a match, or a long text would take long. */
const URL_IN_TEXT = /(?<![\w+.:-])((?:[a-z][\w+.-]{0,30}:){1,3})\/\/([^\s"'<>`]*)/gi;
/** The user, or the user and the password, in front of a host. */
const USER_INFO = /:\/\/([^/?#\s]*)@/g;
/** A parameter of a URL, with its value, or a value without a name. */
const PARAMETER = /([?&;#])([^?&;#=]*)(?:=([^?&;#]*))?/g;
/** A value that a component replaces by one of a document. */
const PLACEHOLDER = /^\$?\{[^{}]*\}$|^%s$/;
/** Paths that work like passwords: incoming webhooks of chats, bots. Everything after these words is secret. */
const WEBHOOK = /^(?:hooks\.[^/]*\/|[^/]*\/(?:.*\/)?(?:web_?hooks?(?:b2)?|bot(?=\d+:))\/?)(.+)$/i;
// Matches `name=value` and `"name": "value"` inside a text: settings of a connection, headers. The character before the
// name must not be part of a name. Without this rule, the search would start again at every letter of a long text.
const NAME_IN_TEXT = /(?<![\w.-])([\w.-]+)["']?\s*[=:]\s*/g;
const VALUE_IN_TEXT = /(?:(?:Bearer|Basic)\s+)?(?:"[^"]*"|'[^']*'|[^\s&;,"'}]+)/iy;

/**
 * Masks the secrets inside a text: in URLs users with passwords, and all values except those of harmless parameters;
 * elsewhere the values of secret names.
 */
export function maskText(text: string): string {
  let masked = '';
  let at = 0;
  for (const { from, to } of secretParts(text)) {
    masked += text.slice(at, from) + MASK;
    at = to;
  }
  return masked + text.slice(at);
}

/**
 * Returns the secrets inside a text as they may appear in other texts: as written and percent-decoded. A secret that
 * may be a common word is returned with its name, such as `code=abc`.
 */
export function secretsInside(text: string): string[] {
  return secretParts(text).flatMap(({ from, to, nameFrom, mayBeCommon }) => {
    const value = text.slice(from, to);
    const named = nameFrom === undefined ? [] : [text.slice(nameFrom, to)];
    const found =
      mayBeCommon === true && !looksRandom(value) ? named : [...named, value.replace(/^(["'])(.*)\1$/s, '$2')];
    return found.flatMap((secret) => [secret, percentDecoded(secret)]);
  });
}

/** Returns the secrets in a text, in order and without overlaps. */
function secretParts(text: string): SecretPart[] {
  // Every secret follows one of these characters, so this check saves time.
  if (!text.includes(':') && !text.includes('=')) return [];
  const parts = [...(text.includes('://') ? partsOfUrls(text) : []), ...namedParts(text)].sort(
    (a, b) => a.from - b.from,
  );
  let end = 0;
  return parts.filter(({ from, to }) => {
    const isNew = from >= end;
    if (isNew) end = to;
    return isNew;
  });
}

function* partsOfUrls(text: string): Generator<SecretPart> {
  yield* userParts(text);
  for (const { 0: url, 1: scheme = '', 2: rest = '', index } of text.matchAll(URL_IN_TEXT)) {
    // The settings of a database are named by its driver. Names in texts cover its secrets.
    if (/^jdbc:/i.test(scheme)) continue;
    const restFrom = index + url.length - rest.length;
    const pathTo = rest.search(/[?#;]/);
    const path = pathTo < 0 ? rest : rest.slice(0, pathTo);
    const secretPath = WEBHOOK.exec(path)?.[1];
    if (secretPath !== undefined)
      yield { from: restFrom + path.length - secretPath.length, to: restFrom + path.length };
    if (pathTo >= 0) yield* parameterParts(rest.slice(pathTo), restFrom + pathTo);
  }
}

/** Finds passwords. In a URL for HTTP the user is one too, because services accept tokens there. */
function* userParts(text: string): Generator<SecretPart> {
  for (const { 0: all, 1: info = '', index } of text.matchAll(USER_INFO)) {
    const from = index + all.length - 1 - info.length;
    const to = from + info.length;
    const colon = info.indexOf(':');
    const isHttp = /https?$/i.test(text.slice(Math.max(0, index - 5), index));
    const userTo = colon < 0 ? to : from + colon;
    if (isHttp && userTo > from) yield { from, to: userTo, mayBeCommon: true };
    if (colon >= 0 && to > userTo + 1) yield { from: userTo + 1, to };
  }
}

function* parameterParts(parameters: string, start: number): Generator<SecretPart> {
  for (const { 0: all, 1: sign = '', 2: name = '', 3: value, index } of parameters.matchAll(PARAMETER)) {
    const from = start + index;
    const to = from + all.length;
    if (value === undefined) {
      // A fragment is a part of a name in XML, and is not sent. A word such as `wsdl` is the name of a parameter.
      if (sign !== '#' && looksRandom(name)) yield { from: to - name.length, to };
    } else if (value !== '' && !isHarmlessParameter(name) && !PLACEHOLDER.test(value)) {
      yield { from: to - value.length, to, nameFrom: from + sign.length, mayBeCommon: !isSecretKey(name) };
    }
  }
}

function* namedParts(text: string): Generator<SecretPart> {
  let end = 0;
  for (const { 0: sign, 1: name = '', index } of text.matchAll(NAME_IN_TEXT)) {
    const from = index + sign.length;
    VALUE_IN_TEXT.lastIndex = from;
    if (index < end || !isSecretKey(name) || !VALUE_IN_TEXT.test(text)) continue;
    end = VALUE_IN_TEXT.lastIndex;
    yield { from, to: end };
  }
}
