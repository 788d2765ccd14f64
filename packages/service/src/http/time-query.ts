import { Type } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import { parseDate } from '../time/clock.ts';

const SECONDS = /^[0-9]+(\.[0-9]+)?$/;

/**
 * The format of `parseTime` for the OpenAPI document. Requests are not validated with it, because `parseTime` has
 * better error messages.
 */
export const TIME_SCHEMA = {
  anyOf: [
    { type: 'string', pattern: SECONDS.source, maxLength: 40 },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
} as const;

/** Returns the schema of a query parameter that is a time. */
export function timeQuery(description: string) {
  return Type.Optional(
    Type.String({
      maxLength: 40,
      description: `${description}: seconds since the epoch, a date in UTC, or a time with its zone such as 2026-01-31T12:00:00Z`,
    }),
  );
}

/** Parses a time into seconds since the epoch. Throws if it is not valid. */
export function parseTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = SECONDS.test(text) ? Number(text) : isoSeconds(text);
  if (!Number.isNaN(seconds)) return seconds;
  throw new ApiError('HR_REQUEST_INVALID', `The query: ${name}=${text} is no time`, {
    hint: 'Write seconds since the epoch, or a time with its zone, as in 2026-01-31T12:00:00Z.',
  });
}

/**
 * Parses an ISO 8601 time, which needs a zone: clients may not know the zone of the server. A date without a time is in
 * UTC.
 */
function isoSeconds(text: string): number {
  // A plus sign that was not percent-encoded has become a space.
  const iso = text.replace(' ', '+');
  return /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(iso) ? parseDate(iso) / 1000 : Number.NaN;
}
