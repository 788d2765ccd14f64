import {
  configToJson,
  hasErrors,
  isSecretKey,
  MASK,
  maskSecrets,
  maskText,
  maskTexts,
  readConfigText,
  type Secrecy,
  secrecyOf,
  secretTexts,
} from '@headrace/engine';
import type { ConfigFormat } from '../store/store.ts';
import type { ConfigNode } from './config-source.ts';

const STRING = String.raw`"""[\s\S]*?"""+|"(?:[^"\\\n]|\\.)*"`;
const KEY = String.raw`(?<![\w.-])(?:"[\w.-]+"|[\w.-]+)`;
const WORD = String.raw`(?:(?!//)[^\s,{}[\]"#])+`;
const PLAIN = String.raw`${WORD}(?:[^\S\n]+${WORD})*`;
/** Matches a key with its value, a string by itself, or a comment. */
const PARTS = new RegExp(
  String.raw`(?<key>${KEY})(?<sign>\s*(?:\+=|[=:])\s*)(?<value>${STRING}|\$\{[^}]*\}|${PLAIN})|${STRING}|(?:#|//)[^\n]*`,
  'g',
);

/**
 * Returns the text of a config with its secrets masked in place, also in comments. Returns undefined if the masked text
 * and the masked config differ, because a secret might then remain in the text.
 */
export function maskedText(text: string, format: ConfigFormat): string | undefined {
  const { root, problems } = readConfigText(text, { format });
  if (root === undefined || hasErrors(problems)) return undefined;
  const hidden = hiddenKeys(root);
  const inPlaces = text.replace(PARTS, (whole, ...rest) => {
    const { key, sign, value } = rest.at(-1) as Partial<Record<'key' | 'sign' | 'value', string>>;
    if (key === undefined || sign === undefined || value === undefined) return maskText(whole);
    const names = key.replaceAll('"', '').split('.');
    const secret = names.some((name) => isSecretKey(name) || hidden.has(name)) && value.trim() !== 'null';
    return secret ? `${key}${sign}"${MASK}"` : `${key}${sign}${maskText(value)}`;
  });
  const masked = maskTexts(inPlaces, secretTexts(root, true));
  const again = readConfigText(masked, { format });
  if (again.root === undefined || hasErrors(again.problems)) return undefined;
  return configToJson(again.root) === configToJson(maskSecrets(root)) ? masked : undefined;
}

/** Returns the keys whose values are hidden because of the object that contains them: headers, environment variables. */
function hiddenKeys(root: ConfigNode): ReadonlySet<string> {
  const keys = new Set<string>();
  const pending: { node: ConfigNode; secrecy: Secrecy }[] = [{ node: root, secrecy: 'shown' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, secrecy } = next;
    if (node.kind === 'list') pending.push(...node.items.map((item) => ({ node: item, secrecy })));
    if (node.kind !== 'object') continue;
    for (const [key, child] of node.entries) {
      const inside = secrecyOf(secrecy, key);
      if (inside === 'hidden') keys.add(key);
      pending.push({ node: child, secrecy: inside });
    }
  }
  return keys;
}
