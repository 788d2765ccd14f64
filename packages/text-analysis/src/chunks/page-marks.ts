/** The line with which TextExtractor begins a page in Markdown, and the empty lines after it. */
const MARK = /^<!-- page (\d+) -->[ \t]*(?:\n+|$)/gm;
/** How many characters identify a place of the text. */
const SAMPLE = 40;

/** A text without the marks of its pages. */
export interface PagedText {
  /** The text of each page. The one before the first mark has no number. */
  readonly pages: readonly { readonly page: number | undefined; readonly text: string }[];
  readonly text: string;
}

/** The pages on which a chunk begins and ends. */
export interface ChunkPages {
  readonly page: number | undefined;
  readonly pageEnd: number | undefined;
}

/** Returns a text without the marks of its pages; undefined if it has none. */
export function withoutPageMarks(text: string): PagedText | undefined {
  if (!text.includes('<!-- page ')) return undefined;
  const unix = text.replace(/\r\n?/g, '\n');
  const marks = [...unix.matchAll(MARK)];
  if (marks.length === 0) return undefined;
  const pages: { page: number | undefined; text: string }[] = [];
  for (const [i, { index, 0: mark, 1: number }] of marks.entries()) {
    if (i === 0 && index > 0) pages.push({ page: undefined, text: unix.slice(0, index) });
    pages.push({ page: Number(number), text: unix.slice(index + mark.length, marks[i + 1]?.index) });
  }
  return { pages, text: pages.map(({ text }) => text).join('') };
}

/**
 * Returns the pages of each chunk of a text. The chunks are in the order of the text, may overlap, and may lack white
 * space and what separates them.
 */
export function pagesOfChunks({ pages }: PagedText, chunks: readonly string[], overlap: boolean): ChunkPages[] {
  const dense = (text: string) => text.replace(/\s+/g, '');
  const parts = pages.map(({ text }) => dense(text));
  const whole = parts.join('');
  const ends: number[] = [];
  for (const { length } of parts) ends.push((ends.at(-1) ?? 0) + length);
  const pageAt = (place: number) =>
    pages[
      Math.max(
        0,
        ends.findIndex((end) => place < end),
      )
    ]?.page;
  let from = 0;
  return chunks.map((chunk) => {
    const text = dense(chunk);
    const find = (sample: string, start: number) => (sample === '' ? -1 : whole.indexOf(sample, start));
    const first = dense(/\S+/.exec(chunk)?.[0] ?? '');
    const found = find(text.slice(0, SAMPLE), from);
    const start = Math.max(from, found >= 0 ? found : find(first, from));
    const tail = text.slice(-SAMPLE);
    const tailAt = find(tail, start + text.length - tail.length);
    const end = tailAt >= 0 ? tailAt + tail.length : start + text.length;
    from = overlap ? start : end;
    return { page: pageAt(start), pageEnd: pageAt(Math.max(start, Math.min(end, whole.length) - 1)) };
  });
}
