import { Document, type ModuleReference, type RecordDecoder, type RecordSink } from 'headrace/engine';

/** The names of the fields of a frame. */
export interface FrameFields {
  readonly source: string;
  readonly fileName: string;
  readonly index: string;
  readonly timeMs: string;
  readonly timecode: string;
  readonly width: string;
  readonly height: string;
  readonly image: string;
}

/** What the document of a frame contains beside the image. Plain data. */
export interface FramePosition {
  readonly id: string;
  readonly path: string;
  readonly fileName: string;
  readonly index: number;
  readonly millis: number | undefined;
  readonly width: number;
  readonly height: number;
}

/** Makes the document of a frame, in a pipeline thread. */
export class FrameDecoder implements RecordDecoder {
  readonly #fields: FrameFields;

  constructor(fields: FrameFields) {
    this.#fields = fields;
  }

  static reference(fields: FrameFields): ModuleReference {
    return { url: import.meta.url, name: 'FrameDecoder', options: fields };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { id, path, fileName, index, millis, width, height } = position as FramePosition;
    const fields = this.#fields;
    const document = Document.create(id);
    document.set(fields.source, path);
    document.set(fields.fileName, fileName);
    document.set(fields.index, index);
    if (millis !== undefined) {
      document.set(fields.timeMs, millis);
      document.set(fields.timecode, timecode(millis));
    }
    document.set(fields.width, width);
    document.set(fields.height, height);
    // The memory of the bytes is reused later.
    document.set(fields.image, new Uint8Array(bytes));
    sink.document(document);
  }
}

/** Returns a time as `HH:MM:SS.mmm`. */
function timecode(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}.${String(millis % 1000).padStart(3, '0')}`;
}
