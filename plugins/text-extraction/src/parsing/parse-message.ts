import type { EmbeddedImage } from '../blocks/blocks.ts';
import type { TextNotice, TextNoticeCode } from '../blocks/text-notice.ts';
import type { ReadOptions } from '../formats/format.ts';

/** A file to parse in a worker. Plain data. */
export interface ParseRequest {
  readonly bytes: Uint8Array;
  /** The name of the file, if it is known. */
  readonly name: string | undefined;
  /** The media type that the source named. */
  readonly contentType: string | undefined;
  /** The encoding of a text file, if the config names it. */
  readonly encoding?: string | undefined;
  readonly format: 'text' | 'markdown';
  readonly maxCharacters: number;
  /** How many bytes archives may expand to. */
  readonly maxExpandedBytes: number;
  /** Whether embedded images are returned. */
  readonly images: boolean;
  readonly options: ReadOptions;
}

/** The content of a file. Plain data. */
export interface ParsedFile {
  readonly text: string;
  /** The values of each metadata field, under the names of Apache Tika. */
  readonly metadata: readonly (readonly [name: string, values: readonly string[]])[];
  readonly images: readonly EmbeddedImage[];
  /**
   * Why the file could not be read completely. The text up to there is kept, unless the file expands to more than the
   * limit.
   */
  readonly problem?: { readonly kind: 'encrypted' | 'damaged' | 'too large'; readonly message: string };
  /** What is missing in the text or was changed. */
  readonly notices: readonly TextNotice[];
  /** Why there is no text, if the file has no problem. */
  readonly missing?: MissingText;
}

/** Why a file that could be read has no text. */
export type MissingText = Extract<TextNoticeCode, 'text.empty' | 'text.unsupported' | 'text.onlyImages'>;
