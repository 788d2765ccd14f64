import {
  configToJson,
  hasErrors,
  isSecretKey,
  MASK,
  maskSecrets,
  maskText,
  maskTexts,
  readConfigText,
  secretTexts,
} from '@headrace/engine';
import type { ConfigFormat } from '../store/store.ts';

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
  const inPlaces = text.replace(PARTS, (whole, ...rest) => {
    const { key, sign, value } = rest.at(-1) as Partial<Record<'key' | 'sign' | 'value', string>>;
    if (key === undefined || sign === undefined || value === undefined) return maskText(whole);
    const secret = key.replaceAll('"', '').split('.').some(isSecretKey) && value.trim() !== 'null';
    return secret ? `${key}${sign}"${MASK}"` : `${key}${sign}${maskText(value)}`;
  });
  const masked = maskTexts(inPlaces, secretTexts(root, true));
  const again = readConfigText(masked, { format });
  if (again.root === undefined || hasErrors(again.problems)) return undefined;
  return configToJson(again.root) === configToJson(maskSecrets(root)) ? masked : undefined;
}
