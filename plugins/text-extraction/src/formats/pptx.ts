import type { Extraction } from '../blocks/blocks.ts';
import type { FormatReader } from './format.ts';
import { addParagraphs, readOfficeParts } from './office-parts.ts';
import { readOfficeImages, readOfficeProperties } from './office-properties.ts';
import { readRelations } from './relations.ts';
import { readXml } from './xml.ts';
import { readZip } from './zip.ts';

const PRESENTATION = 'ppt/presentation.xml';

/** Reads PowerPoint files, slide by slide, with titles, lists, tables, notes and comments. */
export const readPptx: FormatReader = async (input, to) => {
  const entries = await readZip(input.bytes, input.budget);
  const entry = (name: string) => entries.find((one) => one.name === name);
  await readOfficeProperties(entries, to, ['Pages', 'Slides']);
  const presentation = await entry(PRESENTATION)?.read();
  if (presentation === undefined) throw new Error('it has no presentation');
  const relations = await readRelations(entries, PRESENTATION);
  const slides: string[] = [];
  readXml(presentation, {
    open: (name, attributes) => {
      // The attribute id of a slide is a number; the one with the prefix r is the relation.
      if (name === 'sldId') slides.push(relations.get(attributes.get('id') ?? '')?.path ?? '');
    },
  });
  to.describe('xmpTPg:NPages', slides.length);
  to.describe('meta:slide-count', slides.length);
  for (const [i, slide] of slides.entries()) {
    to.add({ kind: 'page', number: i + 1 });
    const content = await entry(slide)?.read();
    if (content === undefined) continue;
    readSlide(content, to, false);
    for (const { type, path } of (await readRelations(entries, slide)).values()) {
      const part = type === 'notesSlide' || type === 'comments' ? await entry(path)?.read() : undefined;
      if (part !== undefined) type === 'notesSlide' ? readSlide(part, to, false) : addParagraphs(part, to);
    }
  }
  for (const { name, read } of entries) {
    if (/^ppt\/slide(Masters|Layouts)\/[^/]+\.xml$/.test(name)) readSlide(await read(), to, true);
  }
  await readOfficeParts(entries, input, to);
  await readOfficeImages(entries, to);
};

/** @param isMaster whether placeholders are omitted: those of a master contain instructions */
function readSlide(bytes: Uint8Array, to: Extraction, isMaster: boolean): void {
  let isTitle = false;
  let isPlaceholder = false;
  let text = '';
  let depth = 0;
  let inText = false;
  let rows: string[][] | undefined;
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'sp') isTitle = isPlaceholder = false;
      else if (name === 'ph') {
        isPlaceholder = true;
        isTitle = /title$/i.test(attributes.get('type') ?? '');
      } else if (name === 'pPr') depth = Number(attributes.get('lvl') ?? 0);
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
        else if (isMaster && isPlaceholder) text = '';
        else if (isTitle) to.add({ kind: 'heading', level: 2, text });
        else to.add({ kind: 'item', depth, ordered: false, text });
        text = '';
        depth = 0;
      }
    },
  });
}
