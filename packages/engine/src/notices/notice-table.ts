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
  'csv.duplicateColumn': {
    class: 'loss',
    meaning: 'Several columns of a CSV file have the same name. The field has only the value of the last one.',
  },
  'csv.emptyColumn': {
    class: 'suspect',
    meaning: 'A column of a CSV file has no name in the header. It makes no field.',
  },
  'csv.extraCell': {
    class: 'suspect',
    meaning: 'A row of a CSV file has an empty cell after the last column. It is ignored.',
  },
  'csv.separator': {
    class: 'suspect',
    meaning: 'The separator of a CSV file is probably another one than the separator with which it is read.',
  },
  'csv.textAfterQuote': {
    class: 'suspect',
    meaning:
      'Text follows the closing quote of a CSV cell. It is read as part of the cell. A quote may be missing or not doubled, so that rows are joined.',
  },
  'csv.unnamedColumn': {
    class: 'loss',
    meaning: 'A cell of a CSV file has a value, but its column has no name, so it makes no field.',
  },
  'feed.date': {
    class: 'loss',
    meaning: 'The date of an item of a feed is not readable, so its document has no date.',
  },
  'json.noRecords': {
    class: 'suspect',
    meaning: 'The parameter recordsPath leads to nothing in a value at the top level of a JSON file.',
  },
  'json.nonFinite': {
    class: 'changed',
    meaning: 'A JSON record has NaN, Infinity or -Infinity, which JSON does not have. The value became null.',
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
