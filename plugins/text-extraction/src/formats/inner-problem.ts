import { type Extraction, TextLimitReached } from '../blocks/blocks.ts';
import type { FileInput } from './format.ts';
import { UnsupportedPdfLibrary } from './pdf-library.ts';

/** The name of Tika for what is wrong with files inside a file. */
export const INNER_PROBLEM = 'X-TIKA:EXCEPTION:embedded_exception';

/** Reads a part of a file. If it cannot be read, reports that, and the rest of the file is read. */
export async function skipInner(
  { budget }: FileInput,
  to: Extraction,
  name: string,
  read: () => void | Promise<void>,
): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (error instanceof TextLimitReached || error instanceof UnsupportedPdfLibrary || budget.left < 0) throw error;
    reportInner(to, name, reasonOf(error));
  }
}

/** Reports a part of a file that cannot be read. */
export function reportInner(to: Extraction, name: string, reason: string): void {
  to.describe(INNER_PROBLEM, `${name}: ${reason}`);
  to.notice('text.unreadable', `${name}: ${reason}`);
}

/** Libraries access missing parts of a damaged file without a check, which is no reason that a user understands. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof TypeError || error instanceof RangeError)) return error.message;
  return `it is damaged: a part of it is missing, or a position or length in it is wrong (the parser says: ${error.message})`;
}
