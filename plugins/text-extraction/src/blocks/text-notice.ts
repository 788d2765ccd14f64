import type { NoticeCode } from 'headrace/engine';

/** The notices about the text of a file. The table of notices describes them. */
export type TextNoticeCode = Extract<NoticeCode, `text.${string}`>;

/** What is missing in the text of a file, or was changed. */
export interface TextNotice {
  readonly code: TextNoticeCode;
  readonly count: number;
  /** What the first case is about, for a person. */
  readonly example: string;
}
