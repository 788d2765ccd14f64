import type { Region } from './page-map.ts';

export interface Recognized {
  /** The text with its line ends. */
  readonly text: string;
  /** From 0 to 100. */
  readonly confidence: number;
}

/** Recognizes the text of an image. */
export interface Recognizer {
  /** @param region the rectangle to read; undefined for the whole image */
  recognize(image: Uint8Array, region: Region | undefined): Promise<Recognized>;
  /**
   * Reads the images of a document with calls of `recognize`.
   * @param bytes the memory that the largest of them needs
   */
  forDocument<T>(bytes: number, read: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Tesseract's mode for a single column of text, and the resolution that it assumes. */
export const PAGE_MODE = '4';
export const DOTS_PER_INCH = 300;

/** Why an image is refused that is in no known format. */
export const UNREADABLE = 'it is damaged, or not an image in a format that Tesseract reads, such as PNG, JPEG or TIFF';
