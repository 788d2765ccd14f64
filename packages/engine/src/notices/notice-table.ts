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
  'child.omitted': {
    class: 'loss',
    meaning: 'A child of a document has no id, so that the stage cannot make a document of it.',
  },
  'chunk.cut': {
    class: 'suspect',
    meaning: 'ChunkText cut a chunk to preMergeMaxChunkLen or characterLimit. The end of the chunk is missing in it.',
  },
  'csv.textAfterQuote': {
    class: 'suspect',
    meaning:
      'Text follows the closing quote of a CSV cell. It is read as part of the cell. A quote may be missing or not doubled, so that rows are joined.',
  },
  'date.epochUnit': {
    class: 'suspect',
    meaning:
      'UnixTimestampFormatter reads milliseconds, but the number looks like seconds: its date is in the first months of 1970.',
  },
  'date.noMatch': {
    class: 'suspect',
    meaning:
      'ParseDate or FormatDate cannot read a value as a date. The destination has no date for it, or the value itself (onNoMatch: keep).',
  },
  'date.omitted': {
    class: 'loss',
    meaning: 'ParseDate or FormatDate cannot read a value as a date, so that the stage removed it from its field.',
  },
  'document.notChanged': {
    class: 'suspect',
    meaning:
      'A stage cannot read the value of a field, or cannot compute its result, so that the document does not change.',
  },
  'embedding.cut': {
    class: 'suspect',
    meaning:
      'A text is longer than the maximum of the model, or its field has several values. The vector represents the start of the text, or the first value.',
  },
  'field.replaced': {
    class: 'loss',
    meaning: 'NormalizeFieldNames gave a field the name of another field, so that one value replaced the other.',
  },
  'file.archived': {
    class: 'loss',
    meaning: 'An object of a cloud storage is in an archive, so that it cannot be read before it is restored.',
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
