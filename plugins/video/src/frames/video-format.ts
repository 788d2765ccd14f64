import { HeadraceError, type ModuleReference, messageOf, type Publisher } from 'headrace/engine';
import { type FileFormat, type FormatContext, type SourceFile, withOpenFile } from 'headrace/handlers';
import { requireVersion } from './ffmpeg-version.ts';
import { FrameDecoder, type FrameFields, type FramePosition } from './frame-decoder.ts';
import { type Frame, readFrames } from './read-frames.ts';

export interface VideoSettings {
  /** The path of ffmpeg. */
  readonly program: string;
  /** Every n-th frame is published. */
  readonly stride: number;
  /** Returns the id of a frame. @param stem the name of the file without its extension */
  readonly idOf: (stem: string, index: number) => string;
  readonly fields: FrameFields;
}

/** Publishes the frames of videos, each as a document. */
export class VideoFormat implements FileFormat {
  readonly #settings: VideoSettings;
  readonly #context: Pick<FormatContext, 'log' | 'notices'>;
  readonly #decoder: ModuleReference;

  constructor(settings: VideoSettings, context: Pick<FormatContext, 'log' | 'notices'>) {
    this.#settings = settings;
    this.#context = context;
    this.#decoder = FrameDecoder.reference(settings.fields);
  }

  get pathField(): string {
    return this.#settings.fields.source;
  }

  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { program, stride, idOf } = this.#settings;
    const { path, name } = file;
    const { signal } = publisher;
    if (signal.aborted) return;
    await requireVersion(program);
    const stem = name.replace(/(?<=.)\.[^.]*$/, '');
    const { log, notices } = this.#context;
    const warn = (message: string) => {
      notices.report('video.damaged', { file: path, hint: message });
      log.warn(`${path}: ${message}`);
    };
    const source = { ...file, bytes: until(signal, file.bytes) };
    const frames = withOpenFile(source, (video) => readFrames(video.fd, { program, stride, signal, warn }));
    for await (const { image, ...frame } of failingAs(path, frames)) {
      const position: FramePosition = { ...frame, id: idOf(stem, frame.index), path, fileName: name };
      await publisher.publishChunk({ bytes: image, decoder: this.#decoder, position });
    }
  }
}

/** Ends the source when the signal is aborted: a large file is not copied for nothing. */
async function* until(signal: AbortSignal, bytes: SourceFile['bytes']): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    if (signal.aborted) return;
    yield piece;
  }
}

/** Adds the path of the video to errors. */
async function* failingAs(path: string, frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  try {
    yield* frames;
  } catch (error) {
    if (error instanceof HeadraceError) throw error;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `${path}: ${messageOf(error)}`, { cause: error });
  }
}
