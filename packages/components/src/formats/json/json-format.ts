import type { ModuleReference, Publisher } from '@headrace/engine';
import { type SourceFile, utf8Bytes } from '../byte-source.ts';
import type { FormatContext } from '../format-context.ts';
import { type SourcePart, splitRecords } from '../record-splitter.ts';
import { Utf8Check } from '../utf8-check.ts';
import { JsonDecoder, type JsonPosition } from './json-decoder.ts';
import { detectLayout } from './json-layout.ts';
import { JsonLineScanner } from './json-line-scanner.ts';
import type { JsonSettings } from './json-settings.ts';
import { BETWEEN_VALUES, JsonValueScanner } from './json-value-scanner.ts';

/**
 * Publishes JSON files: an object a line, or objects on as many lines as they like, one after the other or in an
 * array. The run's thread cuts them into pieces, the pipeline threads decode those.
 */
export class JsonFormat {
  private readonly decoder: ModuleReference;
  private readonly log: FormatContext['log'];

  constructor(settings: JsonSettings, { docIdPrefix, log }: FormatContext) {
    this.log = log;
    this.decoder = JsonDecoder.reference({ settings, docIdPrefix });
  }

  /**
   * Publishes the objects of a file; ends early when the publisher's signal is aborted. Throws
   * `HR_SOURCE_UNREADABLE` when the file cannot be read.
   */
  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { path } = file;
    const check = new Utf8Check(path, this.log);
    const { layout, source } = await detectLayout(utf8Bytes(file));
    const scanner = layout === 'lines' ? new JsonLineScanner() : new JsonValueScanner();
    for await (const part of splitRecords(source, scanner)) {
      if (publisher.signal.aborted) return;
      if (part.kind === 'records') {
        const { record, line } = part.place;
        check.look(part.bytes, [{ start: 0, end: part.bytes.length, line }]);
        const position: JsonPosition = { path, layout, line, lineStart: layout === 'lines' || record === 0 };
        await publisher.publishChunk({ bytes: part.bytes, decoder: this.decoder, position });
      } else await publisher.reject({ place: `${path}:${lineOf(part)}`, message: messageFor(part) });
    }
    if (publisher.signal.aborted) return;
    if (scanner instanceof JsonValueScanner && scanner.finish() && scanner.openArrays > 0) {
      const message = 'the file ends inside an array: it may have been cut off';
      await publisher.reject({ place: `${path}:${scanner.line}`, message });
    }
  }
}

function messageFor(part: Exclude<SourcePart, { kind: 'records' }>): string {
  return part.kind === 'too-long'
    ? `the record is longer than ${part.limit} bytes`
    : 'a string or an object is opened but never closed: the rest of the file is this record';
}

/** The line in which a record itself begins. */
function lineOf(part: Exclude<SourcePart, { kind: 'records' }>): number {
  if (part.kind === 'too-long') return part.place.line;
  const between = BETWEEN_VALUES.exec(Buffer.from(part.bytes).toString('latin1')) as RegExpExecArray;
  return part.place.line + between[0].split('\n').length - 1;
}
