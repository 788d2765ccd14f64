/**
 * What a notice means for the data:
 * - `loss`: data of the source is not in the destination
 * - `changed`: a value in the destination is not the value of the source
 * - `suspect`: the data is complete, but a setting is probably wrong
 */
export type NoticeClass = 'loss' | 'changed' | 'suspect';

/** The classes, the most serious one first. */
export const NOTICE_CLASSES: readonly NoticeClass[] = ['loss', 'changed', 'suspect'];

interface NoticeMeaning {
  readonly class: NoticeClass;
  /** What happened to one counted thing. A sentence. */
  readonly meaning: string;
}

/** Every notice of Headrace. A test checks that the docs page matches this table. */
export const NOTICES = {
  'bytes.invalid': {
    class: 'changed',
    meaning: 'A byte of a text does not decode in the encoding of the file, so U+FFFD replaces it.',
  },
  'csv.textAfterQuote': {
    class: 'suspect',
    meaning:
      'Text follows the closing quote of a CSV cell. It is read as part of the cell. A quote may be missing or not doubled, so that rows are joined.',
  },
  'date.shifted': {
    class: 'changed',
    meaning:
      'A date without a time is written as an instant, which is on another day in UTC. With dates: plain it stays the date.',
  },
  'ids.repeated': {
    class: 'loss',
    meaning:
      'A row of a database has the id of an earlier row of the run, and replaces its document. A join repeats the ids of its first table: merge neighbours with collapse: true, or read the other tables with otherSQLs.',
  },
  'number.rounded': {
    class: 'changed',
    meaning:
      'A decimal has more digits than a double holds, so it is rounded. With decimals: exact it keeps all digits.',
  },
  'kafka.valueUnavailable': {
    class: 'loss',
    meaning:
      'A message of Debezium lacks a long value because the change has not touched it. The document has no such field. In PostgreSQL, ALTER TABLE … REPLICA IDENTITY FULL makes the messages complete.',
  },
} as const satisfies Record<string, NoticeMeaning>;

/** The code of a notice in the table. */
export type NoticeCode = keyof typeof NOTICES;

/** The code of a notice that a custom component defines. */
export type CustomNoticeCode = `custom.${string}`;

/** Returns the meaning of a code. Returns undefined for custom codes. */
export function meaningOfNotice(code: string): string | undefined {
  return Object.hasOwn(NOTICES, code) ? NOTICES[code as NoticeCode].meaning : undefined;
}

/** Returns the class of a code in the table. Returns undefined for other codes. */
export function classOfNotice(code: string): NoticeClass | undefined {
  return Object.hasOwn(NOTICES, code) ? NOTICES[code as NoticeCode].class : undefined;
}

const CUSTOM = /^custom\.[A-Za-z][\w-]{0,63}$/;

/** Returns true for the code of a notice that a custom component may define. */
export function isCustomNotice(code: string): code is CustomNoticeCode {
  return CUSTOM.test(code);
}
