/** What a field becomes in the destination. `text` leaves it as it is in the file. */
export type FieldType = 'text' | 'number' | 'date';

export interface GuessedType {
  readonly type: FieldType;
  /** The pattern of the dates, in the language of Java's DateTimeFormatter, or one of `NUMBER_PATTERNS`. */
  readonly pattern?: string;
}

// Leading zeros are part of codes such as 00501. More than 15 digits do not fit into a number exactly.
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
/** How numbers are written, if not as 1234.5. A number such as 1,234 can be both, so that it decides nothing. */
export const NUMBER_PATTERNS: readonly {
  readonly pattern: string;
  readonly matches: RegExp;
  readonly decides: RegExp;
}[] = [
  {
    pattern: '1.234,5',
    matches: /^-?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:\.\d{3}){1,4})(?:,\d{1,15})?$/,
    decides: /,(?!\d{3}$)|\..*,/,
  },
  {
    pattern: '1,234.5',
    matches: /^-?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.\d{1,15})?$/,
    decides: /,.*\.|,.*,/,
  },
];
const DAY = '(?:0[1-9]|[12]\\d|3[01])';
const MONTH = '(?:0[1-9]|1[0-2])';

/** The patterns of dates that are recognized. For ambiguous dates such as 01/02/2024 the earlier one wins. */
export const DATE_PATTERNS: readonly { readonly pattern: string; readonly matches: RegExp }[] = [
  { pattern: 'yyyy-MM-dd', matches: new RegExp(`^\\d{4}-${MONTH}-${DAY}$`) },
  { pattern: 'yyyy-MM-dd HH:mm:ss', matches: new RegExp(`^\\d{4}-${MONTH}-${DAY} \\d{2}:\\d{2}:\\d{2}$`) },
  { pattern: 'yyyy-MM-dd HH:mm', matches: new RegExp(`^\\d{4}-${MONTH}-${DAY} \\d{2}:\\d{2}$`) },
  { pattern: 'yyyy/MM/dd', matches: new RegExp(`^\\d{4}/${MONTH}/${DAY}$`) },
  { pattern: 'dd.MM.yyyy', matches: new RegExp(`^${DAY}\\.${MONTH}\\.\\d{4}$`) },
  { pattern: 'MM/dd/yyyy', matches: new RegExp(`^${MONTH}/${DAY}/\\d{4}$`) },
  { pattern: 'dd/MM/yyyy', matches: new RegExp(`^${DAY}/${MONTH}/\\d{4}$`) },
];

/** Guesses the type of a field from some of its values. Empty texts do not count. */
export function guessType(values: readonly unknown[]): GuessedType {
  const texts = values.filter((value): value is string => typeof value === 'string').map((text) => text.trim());
  const given = texts.filter((text) => text !== '');
  // Values of JSON that are not texts have a type already.
  if (given.length === 0 || texts.length < values.length) return { type: 'text' };
  if (given.every((text) => NUMBER.test(text))) return { type: 'number' };
  const numbers = NUMBER_PATTERNS.find(
    ({ matches, decides }) => given.every((text) => matches.test(text)) && given.some((text) => decides.test(text)),
  );
  if (numbers !== undefined) return { type: 'number', pattern: numbers.pattern };
  const found = DATE_PATTERNS.find(({ matches }) => given.every((text) => matches.test(text)));
  return found === undefined ? { type: 'text' } : { type: 'date', pattern: found.pattern };
}

/**
 * Says what happens to a value of the file that does not have the type that was chosen for it. Returns undefined if it
 * has the type, or is empty.
 */
export function conversionProblem(type: FieldType, before: unknown, after: unknown): string | undefined {
  if (type === 'number') return typeof after === 'string' ? 'is no number, and stays a text' : undefined;
  const isGiven = typeof before === 'string' && before.trim() !== '';
  return type === 'date' && isGiven && after === undefined ? 'no such date, so that it is omitted' : undefined;
}

/** Returns the field that is probably the id: its values are all there and all different. Prefers names of ids. */
export function guessId(fields: readonly { readonly name: string; readonly values: readonly unknown[] }[]): string {
  const isUnique = ({ values }: (typeof fields)[number]) =>
    values.length > 0 &&
    values.every((value) => (typeof value === 'string' && value.trim() !== '') || typeof value === 'number') &&
    new Set(values).size === values.length;
  const names = [/^id$/i, /(?:^|[_ -])(?:id|key|uuid|guid)$|[a-z]Id$/, /^(?:sku|isbn|ean|iata|code|number)$/i];
  const unique = fields.filter(isUnique);
  for (const pattern of names) {
    const found = unique.find(({ name }) => pattern.test(name));
    if (found !== undefined) return found.name;
  }
  return '';
}
