import type { FormatReader } from './format.ts';
import { Pictures } from './pictures.ts';
import { readXml } from './xml.ts';
import { addXmlPictures, BINARY_ELEMENTS } from './xml-pictures.ts';

/** Reads the text of the elements of any XML document, line by line. */
export const readXmlText: FormatReader = ({ bytes, budget }, to) => {
  let text = '';
  let hidden = 0;
  let problem: Error | undefined;
  readXml(
    bytes,
    {
      open: (name, attributes) => {
        if (BINARY_ELEMENTS.has(name)) hidden++;
        // The cells of iWork tables have their text in an attribute.
        text += ` ${(name === 'ct' ? attributes.get('s') : undefined) ?? ''}`;
      },
      text: (part) => {
        if (hidden === 0) text += part;
      },
      close: (name) => {
        if (BINARY_ELEMENTS.has(name)) hidden--;
        text += ' ';
      },
    },
    (error) => {
      problem ??= error;
    },
  );
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  to.add({ kind: 'lines', text: lines.filter((line) => line !== '').join('\n') });
  addXmlPictures(bytes, new Pictures(to, budget));
  if (problem !== undefined) throw problem;
};
