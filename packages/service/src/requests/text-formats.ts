/** A form that a text of a request must have: for the OpenAPI document, and for the refusal of another text. */
interface TextFormat {
  /** A regular expression that all readers of JSON Schema understand in the same way. */
  pattern: string;
  /** What another text is: "label=x is not …". */
  not: string;
  hint: string;
}

/** `key:value`. */
export const LABEL: TextFormat = {
  pattern: '^[^:]{1,100}:[\\s\\S]{0,1000}$',
  not: 'not key:value',
  hint: 'Write label=team:search.',
};

/** A label of an upload: an empty one takes away those that the config has. */
export const LABEL_OR_NONE: TextFormat = { ...LABEL, pattern: '^([^:]{1,100}:[\\s\\S]{0,1000})?$' };

/** `next` of a page whose places are numbers. */
export const NUMBER_CURSOR: TextFormat = {
  pattern: '^[0-9]{1,15}$',
  not: 'not the "next" of an earlier page',
  hint: 'Leave out "after" to begin with the first page.',
};

/** `next` of a page of configs: presets come before uploads. */
export const CONFIG_CURSOR: TextFormat = { ...NUMBER_CURSOR, pattern: '^(preset:[\\s\\S]{1,255}|[0-9]{1,15})$' };

/** The id of an event of a run; an empty one is none. */
export const EVENT_ID: TextFormat = {
  pattern: '^(done|[0-9]{1,15}(\\.[0-9]{1,15})?)?$',
  not: 'not the id of an event of a run',
  hint: 'Send the id of the last event that you received, or 0 for all events that are kept.',
};

const ALL = [LABEL, LABEL_OR_NONE, NUMBER_CURSOR, CONFIG_CURSOR, EVENT_ID];

/** The format that a schema has as its pattern. */
export function formatOf(pattern: unknown): TextFormat | undefined {
  return ALL.find((format) => format.pattern === String(pattern));
}
