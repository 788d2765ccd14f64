import type { FormatReader } from './format.ts';
import { skipInner } from './inner-problem.ts';
import { readMail } from './mail.ts';

/** A line before a mail: at the start, or after an empty line, with the time at which the mail came. */
const START = /(?<=^|\n\r?\n)From [^\n]*\d\d:\d\d[^\n]*\n/g;
/** A line of a text that would look like the start of a mail has a > before it. */
const QUOTED = /^>(>*From )/gm;

/** Reads a mailbox: mails, each after a line that begins with "From ". */
export const readMbox: FormatReader = async (input, to) => {
  const text = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength).toString('latin1');
  const mails = text.split(START).filter((mail) => mail.trim() !== '');
  for (const [i, mail] of mails.entries()) {
    const bytes = Buffer.from(mail.replace(QUOTED, '$1'), 'latin1');
    await skipInner(input, to, `mail ${i + 1}`, () => readMail({ ...input, bytes, depth: input.depth + 1 }, to));
  }
};
