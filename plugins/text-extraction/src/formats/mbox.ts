import type { FormatReader } from './format.ts';
import { readMail } from './mail.ts';

/** Reads a mailbox: mails, each after a line that begins with "From ". */
export const readMbox: FormatReader = async (input, to) => {
  const text = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength).toString('latin1');
  const mails = text.split(/^From .*\r?\n/m).filter((mail) => mail.trim() !== '');
  for (const mail of mails) await readMail({ ...input, bytes: Buffer.from(mail, 'latin1') }, to);
};
