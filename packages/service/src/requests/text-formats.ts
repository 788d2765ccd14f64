/** A format that a text in a request must have, for the OpenAPI document and for error messages. */
interface TextFormat {
  /** A regular expression that all implementations of JSON Schema understand in the same way. */
  pattern: string;
  /** Why other texts are refused: "label=x is not …". */
  not: string;
  hint: string;
}

/** `key:value`. */
export const LABEL: TextFormat = {
  pattern: '^[^:]{1,100}:[\\s\\S]{0,1000}$',
  not: 'not key:value',
  hint: 'Write label=team:search.',
};

/** A label of an upload: an empty one removes all labels of the config. */
export const LABEL_OR_NONE: TextFormat = { ...LABEL, pattern: '^([^:]{1,100}:[\\s\\S]{0,1000})?$' };

/** The cursor `next` of pages with numeric positions. */
export const NUMBER_CURSOR: TextFormat = {
  pattern: '^[0-9]{1,15}$',
  not: 'not the "next" of an earlier page',
  hint: 'Leave out "after" for the first page.',
};

/** The cursor `next` of pages of configs: presets come before uploads. */
export const CONFIG_CURSOR: TextFormat = { ...NUMBER_CURSOR, pattern: '^(preset:[\\s\\S]{1,255}|[0-9]{1,15})$' };

/** The id of an event of a run, or empty. */
export const EVENT_ID: TextFormat = {
  pattern: '^(done|[0-9]{1,15}(\\.[0-9]{1,15})?)?$',
  not: 'not the id of an event of a run',
  hint: 'Send the id of the last event that you received, or 0 for all events that are kept.',
};

const ALL = [LABEL, LABEL_OR_NONE, NUMBER_CURSOR, CONFIG_CURSOR, EVENT_ID];

/** The format whose pattern a schema uses. */
export function formatOf(pattern: unknown): TextFormat | undefined {
  return ALL.find((format) => format.pattern === String(pattern));
}
