import type { FormatReader } from './format.ts';
import { readXml } from './xml.ts';

/** Reads the text of the elements of any XML document, line by line. */
export const readXmlText: FormatReader = ({ bytes }, to) => {
  let text = '';
  let problem: Error | undefined;
  readXml(
    bytes,
    {
      open: () => {
        text += ' ';
      },
      text: (part) => {
        text += part;
      },
      close: () => {
        text += ' ';
      },
    },
    (error) => {
      problem ??= error;
    },
  );
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  to.add({ kind: 'lines', text: lines.filter((line) => line !== '').join('\n') });
  if (problem !== undefined) throw problem;
};
