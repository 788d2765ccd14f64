import { readJsonSequence } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type { ConfigFormat } from '../store/store.ts';
import type { ExactBody } from './exact-body.ts';

/** The config of a request: either the id or name of a config of the service, or a config text in the request. */
export type ConfigChoice = { configId: string } | { text: string; format: ConfigFormat };

/** Returns the config that the body of a request names or contains. */
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
 * Returns the value of `config` in the JSON body of a request: a HOCON text, or an object. For an object, returns the
 * body with everything else replaced by spaces, so that problems keep their line and column in the body.
 * @param body valid JSON
 * @param config the value of `config` in the body
 */
export function inlineConfig(body: string, config: unknown): { text: string; format: ConfigFormat } {
  if (typeof config === 'string') return { text: config, format: 'hocon' };
  const start = startOfConfig(body);
  const end = start + (readJsonSequence(body.slice(start)).next().value?.end ?? 0);
  return { text: body.slice(0, start).replace(/[^\n\r]/g, ' ') + body.slice(start, end), format: 'json' };
}

/** Returns the start of the value of the member `config`. If the name occurs several times, the last one counts. */
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

/** Returns the index of the quote that ends the string that starts at `start`. */
function endOfText(body: string, start: number): number {
  let at = start + 1;
  while (body[at] !== '"') at += body[at] === '\\' ? 2 : 1;
  return at;
}
