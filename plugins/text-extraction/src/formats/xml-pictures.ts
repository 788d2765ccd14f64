import type { Pictures } from './pictures.ts';
import { readXml } from './xml.ts';

/** The elements with base64 text: of Word 2003, of new Office files in one document, and of OpenDocument. */
export const BINARY_ELEMENTS: ReadonlySet<string> = new Set(['binData', 'binaryData', 'binary-data']);

/** Adds the pictures that an XML document has as base64 text, up to where it is damaged. */
export function addXmlPictures(xml: Uint8Array, pictures: Pictures): void {
  if (!pictures.wanted) return;
  let parts: string[] | undefined;
  const events = {
    open: (name: string) => {
      if (BINARY_ELEMENTS.has(name)) parts = [];
    },
    text: (part: string) => void parts?.push(part),
    close: (name: string) => {
      if (parts !== undefined && BINARY_ELEMENTS.has(name)) pictures.add(Buffer.from(parts.join(''), 'base64'));
      parts = undefined;
    },
  };
  // The reader of the text reports damage.
  readXml(xml, events, () => undefined);
}
