import { createRequire } from 'node:module';
import type { Extraction } from '../blocks/blocks.ts';
import type { FormatReader } from './format.ts';

/** The parts of the library that are used. It has no types. */
interface WordExtractor {
  extract(bytes: Buffer): Promise<{
    getBody(): string;
    getFootnotes(): string;
    getEndnotes(): string;
    getAnnotations(): string;
    getTextboxes(): string;
    getHeaders(options: { includeFooters: boolean }): string;
    getFooters(): string;
  }>;
}

/** Reads old Word files (97 to 2003). */
export const readDoc: FormatReader = async ({ bytes }, to) => {
  const Extractor = createRequire(import.meta.url)('word-extractor') as new () => WordExtractor;
  const found = await new Extractor().extract(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  addParagraphs(found.getHeaders({ includeFooters: false }), to);
  addParagraphs(found.getBody(), to);
  for (const text of [found.getTextboxes(), found.getFootnotes(), found.getEndnotes(), found.getAnnotations()]) {
    addParagraphs(text, to);
  }
  addParagraphs(found.getFooters(), to);
};

/** Lines of cells with tabs between them become a table. */
function addParagraphs(text: string, to: Extraction): void {
  let rows: string[][] = [];
  const endTable = () => {
    if (rows.length > 0) to.add({ kind: 'table', rows });
    rows = [];
  };
  for (const line of text.split('\n')) {
    const cells = line.split('\t');
    if (cells.length > 2) rows.push(cells);
    else {
      endTable();
      to.add({ kind: 'paragraph', text: line });
    }
  }
  endTable();
}
