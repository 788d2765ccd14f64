/** What a file has that is missing in its text, or was changed. Codes are those of the notices of a run. */
export type TextNoticeCode =
  /** The file has no text. */
  | 'text.empty'
  /** No reader knows the type of the file, or of a file inside it. */
  | 'text.unsupported'
  /** The file has no text, but images, which ApplyOCR reads. */
  | 'text.onlyImages'
  /** Some pages of the file have no text, but images. */
  | 'text.imagePages'
  /** The file, or a file inside it, is encrypted or damaged. */
  | 'text.unreadable'
  /** Characters that no text has were removed. */
  | 'text.controls';

export interface TextNotice {
  readonly code: TextNoticeCode;
  readonly count: number;
  /** What the first one is about, for a person. */
  readonly example: string;
}
