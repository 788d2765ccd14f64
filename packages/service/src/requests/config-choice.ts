import { readJsonSequence } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type { ConfigFormat } from '../store/store.ts';
import type { ExactBody } from './exact-body.ts';

/** A config that is there by its id or name, or one of its own. */
export type ConfigChoice = { configId: string } | { text: string; format: ConfigFormat };

/** The config that the body of a request names or has. */
export function configChoice({ body, json, hocon }: ExactBody): ConfigChoice {
  const config = body.get('config');
  const configId = body.get('configId') as string | undefined;
  if ((config === undefined) === (configId === undefined)) {
    throw new ApiError('HR_REQUEST_INVALID', 'The body needs either configId or config');
  }
  if (configId !== undefined) return { configId };
  return hocon === undefined ? inlineConfig(json, config) : { text: hocon, format: 'hocon' };
}

/**
 * The config that stands in the JSON object of a request as `config`: a text of HOCON, or an object. An object comes as
 * the text around it with everything else blanked out, so that problems have their place in the body as it was sent.
 * @param body JSON that has been read before
 * @param config its value of `config`
 */
export function inlineConfig(body: string, config: unknown): { text: string; format: ConfigFormat } {
  if (typeof config === 'string') return { text: config, format: 'hocon' };
  const start = startOfConfig(body);
  const end = start + (readJsonSequence(body.slice(start)).next().value?.end ?? 0);
  return { text: body.slice(0, start).replace(/[^\n\r]/g, ' ') + body.slice(start, end), format: 'json' };
}

/** Where the value of the last member `config` begins: that is the one that counts. */
function startOfConfig(body: string): number {
  let start = 0;
  let depth = 0;
  let key = '';
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case '{':
      case '[':
        depth++;
        break;
      case '}':
      case ']':
        depth--;
        break;
      case '"': {
        const end = endOfText(body, at);
        if (depth === 1) key = body.slice(at, end + 1);
        at = end;
        break;
      }
      case ':':
        if (depth === 1 && JSON.parse(key) === 'config') start = at + 1;
    }
  }
  return start;
}

/** The place of the quote that ends the text that begins at one. */
function endOfText(body: string, start: number): number {
  let at = start + 1;
  while (body[at] !== '"') at += body[at] === '\\' ? 2 : 1;
  return at;
}
