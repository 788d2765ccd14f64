import { Type } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import { parseDate } from '../time/clock.ts';

const SECONDS = /^[0-9]+(\.[0-9]+)?$/;

/** What `parseTime` takes, for the OpenAPI document: the validator of requests could not say what is wrong as well. */
export const TIME_SCHEMA = {
  anyOf: [
    { type: 'string', pattern: SECONDS.source, maxLength: 40 },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
} as const;

/** A time in a query. */
export function timeQuery(description: string) {
  return Type.Optional(
    Type.String({
      maxLength: 40,
      description: `${description}: seconds since the epoch, or as in 2026-01-31T12:00:00Z`,
    }),
  );
}

/** Seconds since the epoch. */
export function parseTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = SECONDS.test(text) ? Number(text) : isoSeconds(text);
  if (!Number.isNaN(seconds)) return seconds;
  throw new ApiError('HR_REQUEST_INVALID', `The query: ${name}=${text} is no time`, {
    hint: 'Write seconds since the epoch, or a time with its zone, as in 2026-01-31T12:00:00Z.',
  });
}

/** Without a zone it would be that of the server, which the client may not know; a date by itself is in UTC. */
function isoSeconds(text: string): number {
  // A plus sign that was not encoded has become a space.
  const iso = text.replace(' ', '+');
  return /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(iso) ? parseDate(iso) / 1000 : Number.NaN;
}
