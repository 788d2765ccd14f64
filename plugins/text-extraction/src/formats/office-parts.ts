import type { Extraction } from '../blocks/blocks.ts';
import type { FileInput } from './format.ts';
import { readXml } from './xml.ts';
import type { ZipEntry } from './zip.ts';

const DIAGRAMS_AND_BOXES = /(?:\/diagrams\/data[^/]*|^xl\/drawings\/drawing[^/]*)\.xml$/;
const CHARTS = /\/charts\/chart[^/]*\.xml$/;
const EMBEDDED = /\/embeddings\/[^/]+$/;

/** Reads the parts that DOCX, XLSX and PPTX files share: diagrams, text boxes of sheets, charts and embedded files. */
export async function readOfficeParts(entries: readonly ZipEntry[], input: FileInput, to: Extraction): Promise<void> {
  for (const entry of entries) await readOfficePart(entry, input, to);
}

/** Reads a part of these kinds, and ignores others. */
export async function readOfficePart(entry: ZipEntry, input: FileInput, to: Extraction): Promise<void> {
  if (DIAGRAMS_AND_BOXES.test(entry.name)) addParagraphs(await entry.read(), to);
  else if (CHARTS.test(entry.name)) addChart(await entry.read(), to);
  else if (EMBEDDED.test(entry.name)) await input.readInner(await entry.read(), nameOf(entry), to);
}

/** The names that Office gives to embedded objects say nothing. */
function nameOf({ name }: ZipEntry): string | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return /^(oleObject\d*\.bin|Microsoft_.*)$/i.test(base) ? undefined : base;
}

/** Adds the paragraphs of a drawing. */
export function addParagraphs(xml: Uint8Array, to: Extraction): void {
  let text = '';
  let inText = false;
  readXml(xml, {
    open: (name) => {
      inText = name === 't' || name === 'text';
      if (name === 'br') text += '\n';
    },
    text: (part) => {
      if (inText) text += part;
    },
    close: (name) => {
      inText = false;
      if (name !== 'p' && name !== 'text' && name !== 'cm') return;
      to.add({ kind: 'paragraph', text });
      text = '';
    },
  });
}

/** Adds the titles of a chart, and the names and values of each series. */
function addChart(xml: Uint8Array, to: Extraction): void {
  let parts: string[] = [];
  let text: string | undefined;
  readXml(xml, {
    open: (name) => {
      if (name === 't' || name === 'v') text = '';
    },
    text: (part) => {
      if (text !== undefined) text += part;
    },
    close: (name) => {
      if (text !== undefined && (name === 't' || name === 'v')) {
        parts.push(text);
        text = undefined;
      } else if (name === 'p' || name === 'tx' || name === 'cat' || name === 'val') {
        to.add({ kind: 'paragraph', text: parts.join(' ') });
        parts = [];
      }
    },
  });
}
