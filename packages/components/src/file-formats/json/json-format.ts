import { isAscii } from 'node:buffer';
import { HeadraceError, type ModuleReference, type Publisher } from '@headrace/engine';
import { BETWEEN_VALUES, JsonLineScanner, JsonValueScanner } from '@headrace/formats/records/json';
import { splitRecords } from '@headrace/formats/records/split';
import { asBuffer } from '../as-buffer.ts';
import type { SourceFile } from '../byte-source.ts';
import { type OpenText, openText } from '../encoding/open-text.ts';
import type { FormatContext } from '../format-context.ts';
import { JsonDecoder, type JsonPosition } from './json-decoder.ts';
import { detectLayout } from './json-layout.ts';
import type { JsonSettings } from './json-settings.ts';
import { RecordsAtPath } from './records-path.ts';

const LF = 10;
const OPEN = 'a string or an object is opened but never closed';
const OPEN_ARRAY = 'the file ends inside an array';
const OPEN_ENVELOPE = 'the file ends inside an object or an array';

/**
 * Publishes JSON files: one or more objects in each line, or objects over any number of lines, in sequence or in an
 * array. The run thread cuts the files into chunks, and the pipeline threads decode the chunks.
 */
export class JsonFormat {
  readonly #decoder: ModuleReference;
  readonly #settings: JsonSettings;
  readonly #context: FormatContext;

  constructor(settings: JsonSettings, context: FormatContext) {
    this.#settings = settings;
    this.#context = context;
    this.#decoder = JsonDecoder.reference({ settings, docIdPrefix: context.docIdPrefix });
  }

  /**
   * Publishes the objects of a file. Stops early if the publisher's signal is aborted.
   *
   * Throws `HR_SOURCE_UNREADABLE` if the file cannot be read. Throws `HR_SOURCE_INCOMPLETE` if the file ends inside an
   * object, a string or an array, after it has published the objects before that.
   */
  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { path } = file;
    const text = openText(file, this.#settings, this.#context);
    const { recordsPath } = this.#settings;
    const records = recordsPath === undefined ? undefined : new RecordsAtPath(recordsPath);
    const { layout, source } =
      records === undefined
        ? await detectLayout(text.bytes)
        : { layout: 'values' as const, source: records.of(text.bytes) };
    const scanner = layout === 'lines' ? new JsonLineScanner() : new JsonValueScanner(1, records !== undefined);
    /** The place after the last record. */
    let place: JsonPlace = { byte: 0, line: 1, column: 1 };
    const publish = async (bytes: Uint8Array): Promise<void> => {
      const { line, column } = place;
      text.invalid.look(bytes, [{ start: 0, end: bytes.length, line }]);
      const position: JsonPosition = { path, layout, line, lineStart: column === 1 };
      await publisher.publishChunk({ bytes, decoder: this.#decoder, position });
    };
    for await (const part of splitRecords(source, scanner)) {
      if (publisher.signal.aborted) return;
      if (part.kind === 'records') {
        const column = columnAfter(part.bytes, place.column);
        const hasRecords = part.next.record > part.place.record;
        // With a path, most parts may be without records.
        if (hasRecords || records === undefined) await publish(part.bytes);
        if (hasRecords || records !== undefined) place = { ...part.next, column };
      } else if (part.kind === 'too-long') {
        if (part.cutOff) throw incomplete(path, text, place, OPEN);
        const message = `the record is longer than ${part.limit} bytes`;
        await publisher.reject({ place: `${path}:${part.place.line}`, message });
        place = { ...part.next, column: layout === 'lines' ? 1 : undefined };
      } else {
        const { bytes } = part;
        // The last line may contain whole values before the one that is cut off.
        const whole = layout === 'lines' ? new JsonValueScanner().scan(bytes, 0, bytes.length, false) : 0;
        const error = incomplete(path, text, ...cutAt(bytes, Math.max(whole, 0), place));
        if (whole > 0) await publish(Uint8Array.from(bytes.subarray(0, whole)));
        throw error;
      }
    }
    if (publisher.signal.aborted) return;
    if (records !== undefined) {
      if (records.isOpen) throw incomplete(path, text, place, OPEN_ENVELOPE);
      records.requireMatch(path);
      const { unmatched } = records;
      const hint = `recordsPath ${recordsPath} leads to nothing in some values of the file`;
      this.#context.notices.report('json.noRecords', { file: path, hint, count: unmatched });
    }
    if (scanner instanceof JsonValueScanner && scanner.openArrays > 0) throw incomplete(path, text, place, OPEN_ARRAY);
  }
}

/** A place in a file: the number of bytes before it, the line and the column, counted from 1, if they are known. */
interface JsonPlace {
  readonly byte: number;
  readonly line: number;
  readonly column: number | undefined;
}

/** Returns the error for a file that ends inside a value or an array, which begins at a place. */
function incomplete(path: string, text: OpenText, { byte, line, column }: JsonPlace, what: string): HeadraceError {
  const place = [...(column === undefined ? [] : [`column ${column}`]), text.nameByte(byte)].join(', ');
  return new HeadraceError(
    'HR_SOURCE_INCOMPLETE',
    `${path}:${line}: ${what} (${place}): the rest of the file was not read`,
    {
      hint: 'Look at this place for a missing quote, brace or bracket, and check whether the file was cut off.',
    },
  );
}

/**
 * Returns the place of the value that is cut off at the end of a file, and what is wrong.
 * @param whole the number of bytes before it that are whole values
 * @param place where the bytes begin
 */
function cutAt(bytes: Uint8Array, whole: number, place: JsonPlace): [JsonPlace, string] {
  const buffer = asBuffer(bytes);
  const between = BETWEEN_VALUES.exec(buffer.toString('latin1', whole)) as RegExpExecArray;
  const start = whole + between[0].length;
  const before = buffer.subarray(0, start === buffer.length ? whole : start);
  const line = place.line + before.toString('latin1').split('\n').length - 1;
  const at = { byte: place.byte + before.length, line, column: columnAfter(before, place.column) };
  return [at, start === buffer.length ? OPEN_ARRAY : OPEN];
}

/** Returns the column after bytes that begin at a column. */
function columnAfter(bytes: Uint8Array, column: number | undefined): number | undefined {
  const buffer = asBuffer(bytes);
  const lineEnd = buffer.lastIndexOf(LF);
  const first = lineEnd < 0 ? column : 1;
  if (first === undefined) return undefined;
  const tail = buffer.subarray(lineEnd + 1);
  return first + (isAscii(tail) ? tail.length : tail.toString().length);
}
