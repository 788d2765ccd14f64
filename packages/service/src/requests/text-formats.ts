/** A format that a text in a request must have, for the OpenAPI document and for error messages. */
interface TextFormat {
  /** A regular expression that means the same in all implementations of JSON Schema. */
  pattern: string;
  /** The end of the error message for other texts: "label=x is not …". */
  not: string;
  hint: string;
}

/** A label in a query, in the format `key:value`. */
export const LABEL: TextFormat = {
  pattern: '^[^:]{1,100}:[\\s\\S]{0,1000}$',
  not: 'not key:value',
  hint: 'Write label=team:search.',
};

/** A label in the query of an upload. An empty label removes all labels of the config. */
export const LABEL_OR_NONE: TextFormat = { ...LABEL, pattern: '^([^:]{1,100}:[\\s\\S]{0,1000})?$' };

/** The cursor `next` of pages with numeric positions. */
export const NUMBER_CURSOR: TextFormat = {
  pattern: '^[0-9]{1,15}$',
  not: 'not the "next" of an earlier page',
  hint: 'Send the request without "after" to get the first page.',
};

/** The cursor `next` of pages of configs. Presets come before uploads. */
export const CONFIG_CURSOR: TextFormat = { ...NUMBER_CURSOR, pattern: '^(preset:[\\s\\S]{1,255}|[0-9]{1,15})$' };

/** The cursor `next` of pages of schedules. Paused schedules come last. */
export const SCHEDULE_CURSOR: TextFormat = { ...NUMBER_CURSOR, pattern: '^([0-9]{1,15}|paused):[\\s\\S]{1,255}$' };

/** The id of an event of a run, or an empty text. */
export const EVENT_ID: TextFormat = {
  pattern: '^(done|[0-9]{1,15}(\\.[0-9]{1,15})?)?$',
  not: 'not the id of an event of a run',
  hint: 'Send the id of the last event that you received, or 0 for all stored events.',
};

const ALL = [LABEL, LABEL_OR_NONE, NUMBER_CURSOR, CONFIG_CURSOR, SCHEDULE_CURSOR, EVENT_ID];

/** Returns the format that has this pattern, or undefined. */
export function formatOf(pattern: unknown): TextFormat | undefined {
  return ALL.find((format) => format.pattern === String(pattern));
}
