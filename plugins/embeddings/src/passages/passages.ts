import type { Block } from './blocks.ts';
import { PageMarks } from './page-marks.ts';
import { SliceLimits } from './slice-limits.ts';

export interface PassageOptions {
  /** The maximum size of a passage, with its headings. */
  readonly max: number;
  /** How much of a passage the next one of the same section repeats, at most. Whole sentences are repeated. */
  readonly overlap: number;
  /** Whether a passage begins with its headings. */
  readonly withHeadings: boolean;
  /** Whether a passage ends where its page ends. */
  readonly endAtPages: boolean;
  /** Returns the size of a text, such as its number of tokens. */
  readonly sizeOf: (text: string) => number;
}

/** The text under one heading, up to the next one. */
export interface Section {
  /** The heading, after the headings above it. */
  readonly headings: readonly string[];
  readonly start: number;
  readonly end: number;
  /** The text with its heading, without marks of pages. */
  readonly text: string;
  /** The page on which the section begins, if the text has marks of pages. */
  readonly page: number | undefined;
  readonly pageEnd: number | undefined;
  readonly passages: readonly Passage[];
}

export interface Passage {
  /** The position in the source text, without repeated text such as the header of a table. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The pages on which the passage begins and ends, if the text has marks of pages. */
  readonly page: number | undefined;
  readonly pageEnd: number | undefined;
}

/** A part of a block that stays whole. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly page: number | undefined;
  /** The text that is repeated if a passage begins here, such as the header of a table. */
  readonly lead: string;
}

type Content = Block & { readonly kind: 'content' };

/** A section whose passages are not made yet. */
interface OpenSection {
  readonly headings: readonly string[];
  readonly start: number;
  end: number;
  readonly content: Content[];
}

/**
 * Divides a text into sections and their passages. A passage never contains text of two sections. It ends between two
 * blocks if possible, otherwise between items, rows or sentences, and only inside a very long sentence between words.
 */
export function sectionsOf(text: string, blocks: readonly Block[], options: PassageOptions): Section[] {
  const sections: OpenSection[] = [];
  const path: { readonly depth: number; readonly title: string }[] = [];
  const marks = new PageMarks(text, blocks);
  const open = (start: number, end: number) => {
    const headings = path.map(({ title }) => title);
    const section: OpenSection = { headings, start, end, content: [] };
    sections.push(section);
    return section;
  };
  for (const block of blocks) {
    if (block.kind === 'page') continue;
    if (block.kind === 'heading') {
      while ((path.at(-1)?.depth ?? 0) >= block.depth) path.pop();
      path.push(block);
      open(block.start, block.end);
    } else {
      const section = sections.at(-1) ?? open(block.start, block.end);
      section.end = block.end;
      section.content.push(block);
    }
  }
  return sections
    .map((section) => ({
      headings: section.headings,
      start: section.start,
      end: section.end,
      text: marks.slice(section.start, section.end).trim(),
      page: marks.pageAt(section.start),
      pageEnd: marks.pageAt(section.end - 1),
      passages: passagesOf(text, marks, section, options),
    }))
    .filter(({ passages }) => passages.length > 0);
}

function passagesOf(text: string, marks: PageMarks, section: OpenSection, options: PassageOptions): Passage[] {
  const { max, overlap, endAtPages, sizeOf } = options;
  const headings = options.withHeadings ? fittingHeadings(section.headings, max >> 1, sizeOf) : '';
  const space = max - (headings === '' ? 0 : sizeOf(headings));
  const limits = new SliceLimits(text, marks, space, sizeOf);
  const units: Unit[] = section.content.flatMap((block) => unitsOf(block, marks.pageAt(block.start), limits));
  const passages: Passage[] = [];
  for (let at = 0; at < units.length; ) {
    const first = units[at] as Unit;
    const before = units[at - 1];
    const from =
      before === undefined || overlap === 0 || first.lead !== '' || (endAtPages && before.page !== first.page)
        ? first.start
        : limits.sentenceStart(passages.at(-1)?.start ?? 0, first.start, Math.min(overlap, space - first.size));
    const bodyOf = (end: number) => trimmed(first.lead + marks.slice(from, end));
    // The sum of the sizes of units is an estimate: tokens may include the white space between two units.
    let size = first.size + (from < first.start ? sizeOf(marks.slice(from, first.start)) : 0) + sizeOf(first.lead);
    let next = at + 1;
    for (; next < units.length; next++) {
      const { size: more, page } = units[next] as Unit;
      if (size + more > space || (endAtPages && page !== first.page)) break;
      size += more;
    }
    while (next > at + 1 && sizeOf(bodyOf((units[next - 1] as Unit).end)) > space) next--;
    const { end } = units[next - 1] as Unit;
    const body = bodyOf(end);
    if (body !== '') {
      const pages = { page: marks.pageAt(from), pageEnd: marks.pageAt(end - 1) };
      passages.push({ start: from, end, text: headings + body, ...pages });
    }
    at = next;
  }
  return passages;
}

/** Returns the headings as one line with an empty line after it. Omits outer headings if they are too large. */
function fittingHeadings(headings: readonly string[], max: number, sizeOf: (text: string) => number): string {
  for (let from = 0; from < headings.length; from++) {
    const text = `${headings.slice(from).join(' > ')}\n\n`;
    if (sizeOf(text) <= max) return text;
  }
  return '';
}

/** Returns the whole block if it fits, otherwise its parts. */
function unitsOf(block: Content, page: number | undefined, limits: SliceLimits): Unit[] {
  const { start, end, pieces = [], lead = '' } = block;
  const whole = limits.sizeUpTo(start, end, limits.max);
  if (whole <= limits.max) return [{ start, end, size: whole, page, lead: '' }];
  // A lead that needs more than half of a passage is not repeated.
  const repeated = lead !== '' && limits.sizeOf(lead) * 2 <= limits.max ? lead : '';
  const most = limits.max - (repeated === '' ? 0 : limits.sizeOf(repeated));
  const known = pieces.length > 1 ? undefined : whole;
  const parts =
    pieces.length > 1 ? pieces.map((from, i) => [from, pieces[i + 1] ?? end] as const) : [[start, end] as const];
  return parts.flatMap(([from, to]) =>
    limits
      .divide(from, to, most, known)
      .map((slice) => ({ ...slice, page, lead: slice.start === start ? '' : repeated })),
  );
}

function trimmed(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}
