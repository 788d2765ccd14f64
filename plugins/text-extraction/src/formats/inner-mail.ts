import type { Extraction } from '../blocks/blocks.ts';
import type { FileInput } from './format.ts';

/** The metadata with the subjects of mails inside a file. */
export const INNER_SUBJECT = 'Message:Inner-Subject';

/** Adds the subject of a mail that is inside a file, such as a forwarded mail. The metadata of inner files are not added. */
export function describeInnerMail({ depth }: FileInput, subject: string | undefined, to: Extraction): void {
  if (depth === 0 || subject === undefined || subject.trim() === '') return;
  to.describe(INNER_SUBJECT, subject);
  to.add({ kind: 'heading', level: 2, text: subject });
}
