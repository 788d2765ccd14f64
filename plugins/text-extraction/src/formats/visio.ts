import type { FormatReader } from './format.ts';
import { readOfficeImages, readOfficeProperties } from './office-properties.ts';
import { readXml } from './xml.ts';
import { readZip } from './zip.ts';

/** Reads the texts of Visio drawings, page by page. */
export const readVisio: FormatReader = async ({ bytes, budget }, to) => {
  const entries = await readZip(bytes, budget);
  await readOfficeProperties(entries, to);
  for (const entry of entries) {
    const [, number] = /^visio\/pages\/page(\d+)\.xml$/.exec(entry.name) ?? [];
    if (number === undefined) continue;
    to.add({ kind: 'page', number: Number(number) });
    let text: string | undefined;
    readXml(await entry.read(), {
      open: (name) => {
        if (name === 'Text') text = '';
      },
      text: (part) => {
        if (text !== undefined) text += part;
      },
      close: (name) => {
        if (name !== 'Text') return;
        to.add({ kind: 'paragraph', text: (text ?? '').trim() });
        text = undefined;
      },
    });
  }
  await readOfficeImages(entries, to);
};
