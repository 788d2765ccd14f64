import type { Extraction } from '../blocks/blocks.ts';
import type { FormatReader } from './format.ts';
import { readOfficeImages, readOfficeProperties } from './office-properties.ts';
import { readXml } from './xml.ts';
import { readZip } from './zip.ts';

/** Reads presentations, slide by slide, with titles, lists, tables and notes. */
export const readPptx: FormatReader = async ({ bytes, budget }, to) => {
  const entries = await readZip(bytes, budget);
  await readOfficeProperties(entries, to, ['Pages', 'Slides']);
  const slides = entries
    .map((entry) => ({ entry, number: Number(/^ppt\/slides\/slide(\d+)\.xml$/.exec(entry.name)?.[1] ?? Number.NaN) }))
    .filter(({ number }) => !Number.isNaN(number))
    .sort((a, b) => a.number - b.number);
  if (!entries.some(({ name }) => name === 'ppt/presentation.xml')) throw new Error('it has no presentation');
  to.describe('xmpTPg:NPages', slides.length);
  to.describe('meta:slide-count', slides.length);
  for (const [i, { entry, number }] of slides.entries()) {
    to.add({ kind: 'page', number: i + 1 });
    readSlide(await entry.read(), to);
    const notes = entries.find(({ name }) => name === `ppt/notesSlides/notesSlide${number}.xml`);
    if (notes !== undefined) readSlide(await notes.read(), to);
  }
  await readOfficeImages(entries, to);
};

function readSlide(bytes: Uint8Array, to: Extraction): void {
  let isTitle = false;
  let text = '';
  let depth = 0;
  let inText = false;
  let rows: string[][] | undefined;
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'sp') isTitle = false;
      else if (name === 'ph') isTitle = /title$/i.test(attributes.get('type') ?? '');
      else if (name === 'pPr') depth = Number(attributes.get('lvl') ?? 0);
      else if (name === 't') inText = true;
      else if (name === 'br') text += '\n';
      else if (name === 'tbl') rows = [];
      else if (name === 'tr') rows?.push([]);
      else if (name === 'tc') rows?.at(-1)?.push('');
    },
    text(part) {
      if (inText) text += part;
    },
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'tbl') {
        if (rows !== undefined) to.add({ kind: 'table', rows });
        rows = undefined;
      } else if (name === 'p') {
        const row = rows?.at(-1);
        if (row !== undefined && row.length > 0) row[row.length - 1] = `${row.at(-1)}\n${text}`.trim();
        else if (isTitle) to.add({ kind: 'heading', level: 2, text });
        else to.add({ kind: 'item', depth, ordered: false, text });
        text = '';
        depth = 0;
      }
    },
  });
}
