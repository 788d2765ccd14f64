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
  const { hidden, shown } = keysOf(root, text);
  const inPlaces = text.replace(PARTS, (whole, ...rest) => {
    const { key, sign, value } = rest.at(-1) as Partial<Record<'key' | 'sign' | 'value', string>>;
    const at = rest.at(-3) as number;
    if (key === undefined || sign === undefined || value === undefined) return maskText(whole);
    const names = key.replaceAll('"', '').split('.');
    const isHidden = names.some((name) => hidden.has(name)) && !shown.has(at + key.length + sign.length);
    const isSecret = (isHidden || names.some(isSecretKey)) && value.trim() !== 'null';
    return isSecret ? `${key}${sign}"${MASK}"` : `${key}${sign}${maskText(value)}`;
  });
  const masked = maskTexts(inPlaces, secretTexts(root, true));
  const again = readConfigText(masked, { format });
  if (again.root === undefined || hasErrors(again.problems)) return undefined;
  return configToJson(again.root) === configToJson(maskSecrets(root)) ? masked : undefined;
}

/**
 * Returns the keys whose values are hidden because of the object that contains them: headers, environment variables. The
 * same key may have a value elsewhere that is shown, so also returns the offsets of the values that are shown.
 */
function keysOf(root: ConfigNode, text: string): { hidden: ReadonlySet<string>; shown: ReadonlySet<number> } {
  const hidden = new Set<string>();
  const shown = new Set<number>();
  const lines = lineStarts(text);
  const pending: { node: ConfigNode; secrecy: Secrecy }[] = [{ node: root, secrecy: 'shown' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, secrecy } = next;
    const { line, column } = node.origin;
    if (secrecy === 'shown') shown.add((lines[line - 1] ?? 0) + column - 1);
    if (node.kind === 'list') pending.push(...node.items.map((item) => ({ node: item, secrecy })));
    if (node.kind !== 'object') continue;
    for (const [key, child] of node.entries) {
      const inside = secrecyOf(secrecy, key);
      if (inside === 'hidden') hidden.add(key);
      pending.push({ node: child, secrecy: inside });
    }
  }
  return { hidden, shown };
}

/** Returns the offset of each line. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
