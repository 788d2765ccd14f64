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
  'archive.noEnd': {
    class: 'suspect',
    meaning: 'An archive has no mark of its end. It may be truncated.',
  },
  'bytes.invalid': {
    class: 'changed',
    meaning: 'A byte of a text does not decode in the encoding of the file, so U+FFFD replaces it.',
  },
  'child.omitted': {
    class: 'loss',
    meaning: 'A child of a document has no id, so that the stage cannot make a document of it.',
  },
  'children.notSent': {
    class: 'loss',
    meaning:
      'A document has children that are not sent: set `childDocumentsField`, or make documents of them with EmitNestedChildren.',
  },
  'chunk.cut': {
    class: 'suspect',
    meaning: 'ChunkText cut a chunk to preMergeMaxChunkLen or characterLimit. The end of the chunk is missing in it.',
  },
  'column.duplicate': {
    class: 'loss',
    meaning: 'Several columns of a source have the same name. The last one makes the field.',
  },
  'column.reserved': {
    class: 'loss',
    meaning: 'A column of a source makes no field, because the engine has a field with its name.',
  },
  'csv.backslash': {
    class: 'changed',
    meaning: 'A CSV file has backslashes, which are read as escapes and removed. `ignoreEscapeChar: true` keeps them.',
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
  'date.epochUnit': {
    class: 'suspect',
    meaning:
      'UnixTimestampFormatter reads milliseconds, but the number looks like seconds: its date is in the first months of 1970.',
  },
  'date.omitted': {
    class: 'loss',
    meaning: 'A date of the source cannot be read, so its field is omitted.',
  },
  'date.shifted': {
    class: 'changed',
    meaning:
      'A date without a time is written as an instant, which is on another day in UTC. With dates: plain it stays the date.',
  },
  'date.unparsed': {
    class: 'suspect',
    meaning:
      'ParseDate or FormatDate cannot read a value as a date. The destination has no date for it, or the value itself (onNoMatch: keep).',
  },
  'dictionary.invalidRow': {
    class: 'suspect',
    meaning: 'A row of a dictionary is not UTF-8 and is skipped.',
  },
  'document.droppedByServer': {
    class: 'suspect',
    meaning: 'The ingest pipeline of the index has dropped a document, which counts as succeeded.',
  },
  'embedding.cut': {
    class: 'suspect',
    meaning:
      'A text is longer than the maximum of the model, or its field has several values. The vector represents the start of the text, or the first value.',
  },
  'encoding.guessed': {
    class: 'suspect',
    meaning: 'The encoding of a file is guessed from its bytes. Set `encoding` to be sure.',
  },
  'feed.malformed': {
    class: 'loss',
    meaning: 'A feed is not well-formed XML. It is read as far as possible.',
  },
  'field.replaced': {
    class: 'loss',
    meaning: 'NormalizeFieldNames gave a field the name of another field, so that one value replaced the other.',
  },
  'file.archived': {
    class: 'loss',
    meaning: 'An object of a cloud storage is in an archive, so that it cannot be read before it is restored.',
  },
  'file.empty': {
    class: 'suspect',
    meaning: 'A file is empty: it has no header and no rows.',
  },
  'file.skipped': {
    class: 'loss',
    meaning: 'A file, a folder or an entry of an archive could not be read and was skipped.',
  },
  'folder.empty': {
    class: 'suspect',
    meaning: 'A folder is empty: no file is published from it, and its earlier files do not expire.',
  },
  'gzip.trailingBytes': {
    class: 'suspect',
    meaning: 'The bytes after the compressed data of a file are ignored, as gzip does. The file may be damaged.',
  },
  'id.blank': {
    class: 'suspect',
    meaning: 'A field of an id is blank, so several documents may get the same id.',
  },
  'ids.repeated': {
    class: 'loss',
    meaning:
      'A row of a database has the id of an earlier row of the run, and replaces its document. A join repeats the ids of its first table: merge neighbours with collapse: true, or read the other tables with otherSQLs.',
  },
  'image.unreadable': {
    class: 'loss',
    meaning: 'An image, a page or a region of a page could not be read, so that its text is missing.',
  },
  'json.noRecords': {
    class: 'suspect',
    meaning: 'The parameter recordsPath leads to nothing in a value at the top level of a JSON file.',
  },
  'json.nonFinite': {
    class: 'changed',
    meaning: 'A JSON record has NaN, Infinity or -Infinity, which JSON does not have. The value became null.',
  },
  'kafka.deletedMessages': {
    class: 'loss',
    meaning: 'A message of a topic was deleted by its retention before it was read, or passed over after that.',
  },
  'kafka.valueUnavailable': {
    class: 'loss',
    meaning:
      'A message of Debezium lacks a long value because the change has not touched it. The document has no such field. In PostgreSQL, ALTER TABLE … REPLICA IDENTITY FULL makes the messages complete.',
  },
  'number.rounded': {
    class: 'changed',
    meaning:
      'A decimal has more digits than a double holds, so it is rounded. With decimals: exact it keeps all digits.',
  },
  'partition.zeros': {
    class: 'changed',
    meaning: 'All values of a partition column are numbers, so a value with zeros at its start has lost them.',
  },
  'path.missing': {
    class: 'loss',
    meaning: 'A path of the config does not exist: no file is published from it.',
  },
  'record.skipped': {
    class: 'loss',
    meaning: 'A record of a file cannot be read and was skipped.',
  },
  'stage.unchanged': {
    class: 'suspect',
    meaning:
      'A stage cannot read the value of a field, or cannot compute its result, so that the document does not change.',
  },
  'table.ambiguous': {
    class: 'suspect',
    meaning: 'Two metadata files of an Iceberg table may be the newest one. The one that was updated last is read.',
  },
  'text.controls': {
    class: 'changed',
    meaning:
      'A character that no text has, such as U+0000 or half of a surrogate pair, was removed from the text or the metadata of a file.',
  },
  'text.empty': {
    class: 'suspect',
    meaning: 'A file has no text and no images.',
  },
  'text.imagePages': {
    class: 'suspect',
    meaning:
      'A page of a PDF file has no text, and it or another page without text shows an image. ApplyOCR may find text in it.',
  },
  'text.onlyImages': {
    class: 'suspect',
    meaning: 'A file has no text, but images, such as a scan. ApplyOCR reads them.',
  },
  'text.unreadable': {
    class: 'loss',
    meaning: 'A file, or a file inside it, is encrypted or damaged. What could be read is kept.',
  },
  'text.unsupported': {
    class: 'suspect',
    meaning: 'No reader knows the type of a file, or of a file inside it.',
  },
  'version.missing': {
    class: 'suspect',
    meaning: 'A document has no version: it replaces the document in the index, even if that is newer.',
  },
  'video.damaged': {
    class: 'suspect',
    meaning: 'A video was read to its end, but ffmpeg reports errors in it. Frames may be missing or wrong.',
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
