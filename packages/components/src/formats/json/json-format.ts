import { HeadraceError, type ModuleReference, type Publisher } from '@headrace/engine';
import { BETWEEN_VALUES, JsonLineScanner, JsonValueScanner } from '@headrace/records/json';
import { type SourcePart, splitRecords } from '@headrace/records/split';
import type { SourceFile } from '../byte-source.ts';
import { openText } from '../encoding/open-text.ts';
import type { FormatContext } from '../format-context.ts';
import { JsonDecoder, type JsonPosition } from './json-decoder.ts';
import { detectLayout } from './json-layout.ts';
import type { JsonSettings } from './json-settings.ts';

const OPEN = 'a string or an object is opened but never closed: the rest of the file was not read';

/**
 * Publishes JSON files: an object in each line, or objects over any number of lines, in sequence or in an array. The
 * run thread cuts the files into chunks, and the pipeline threads decode the chunks.
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
   * Throws `HR_SOURCE_UNREADABLE` if the file cannot be read, and `HR_SOURCE_INCOMPLETE` if an object, a string or an
   * array is never closed.
   */
  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { path } = file;
    const { bytes, invalid } = openText(file, this.#settings, this.#context);
    const { layout, source } = await detectLayout(bytes);
    const scanner = layout === 'lines' ? new JsonLineScanner() : new JsonValueScanner();
    for await (const part of splitRecords(source, scanner)) {
      if (publisher.signal.aborted) return;
      if (part.kind === 'records') {
        const { record, line } = part.place;
        invalid.look(part.bytes, [{ start: 0, end: part.bytes.length, line }]);
        const position: JsonPosition = { path, layout, line, lineStart: layout === 'lines' || record === 0 };
        await publisher.publishChunk({ bytes: part.bytes, decoder: this.#decoder, position });
      } else if (part.kind === 'unfinished' || part.cutOff) throw incomplete(`${path}:${lineOf(part)}`, OPEN);
      else
        await publisher.reject({
          place: `${path}:${lineOf(part)}`,
          message: `the record is longer than ${part.limit} bytes`,
        });
    }
    if (publisher.signal.aborted) return;
    if (scanner instanceof JsonValueScanner && scanner.finish() && scanner.openArrays > 0) {
      throw incomplete(`${path}:${scanner.line}`, 'the file ends inside an array');
    }
  }
}

function incomplete(place: string, what: string): HeadraceError {
  return new HeadraceError('HR_SOURCE_INCOMPLETE', `${place}: ${what}`, {
    hint: 'Look at this place for a missing quote, brace or bracket, and check whether the file was cut off.',
  });
}

/** Returns the line in which the record itself begins, after separators. */
function lineOf(part: Exclude<SourcePart, { kind: 'records' }>): number {
  if (part.kind === 'too-long') return part.place.line;
  const between = BETWEEN_VALUES.exec(Buffer.from(part.bytes).toString('latin1')) as RegExpExecArray;
  return part.place.line + between[0].split('\n').length - 1;
}
