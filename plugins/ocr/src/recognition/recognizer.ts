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
  close(): Promise<void>;
}

/** Tesseract's mode for a single column of text, and the resolution that it assumes. */
export const PAGE_MODE = '4';
export const DOTS_PER_INCH = 300;
