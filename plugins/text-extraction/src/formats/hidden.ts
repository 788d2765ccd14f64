import type { Block } from '../blocks/blocks.ts';
import type { FileInput } from './format.ts';

/** Begins the mark of what a reader of the file does not see. */
export const HIDDEN_START = '[hidden: ';
export const HIDDEN_END = ']';
const HIDDEN = '[hidden]';

/** Returns whether a part of a file is a part of the text. */
export function isShown(isHidden: boolean, { options }: Pick<FileInput, 'options'>): boolean {
  return !isHidden || options.hidden !== 'omit';
}

/** Returns a text as the config wants it: unchanged, marked, or empty. */
export function hiddenText(isHidden: boolean, text: string, { options }: Pick<FileInput, 'options'>): string {
  if (!isHidden || options.hidden === 'include' || text.trim() === '') return text;
  return options.hidden === 'mark' ? `${HIDDEN_START}${text}${HIDDEN_END}` : '';
}

/** Returns the blocks of a part of a file, after a mark if it is hidden. */
export function hiddenBlocks(
  isHidden: boolean,
  blocks: readonly Block[],
  { options }: Pick<FileInput, 'options'>,
): readonly Block[] {
  if (!isHidden || options.hidden === 'include') return blocks;
  return options.hidden === 'mark' ? [{ kind: 'paragraph', text: HIDDEN }, ...blocks] : [];
}
