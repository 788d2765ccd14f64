import { hasRightToLeft, isRightToLeft } from './pdf-direction.ts';
import type { TextItem } from './pdf-layout.ts';

/** A piece of a line without a wide gap. */
interface Piece {
  readonly left: number;
  readonly right: number;
  readonly text: string;
}

/** The pieces of a page at one height. */
interface Row {
  readonly y: number;
  readonly size: number;
  readonly pieces: readonly Piece[];
}

/** Items whose baselines differ by less than this part of the font size are in one row. */
const SAME_ROW = 0.35;
/** A gap of at least this part of the font size may be between two columns. */
const GUTTER = 0.6;
/** Columns have at least this many lines. */
const MIN_LINES = 3;
/** How many places are tried as the gap between two columns. */
const MOST_CANDIDATES = 24;
/** Larger pages are not searched for columns, so that no file takes long. */
const MOST_ITEMS = 20_000;
const MOST_DEPTH = 8;
/** Lines of a column have this many characters on average. A cell of a table has fewer. */
const PROSE_CHARACTERS = 18;
/** A line that fills this part of its column is full. At least this part of the lines is full. */
const FULL = 0.6;
const FULL_LINES = 0.5;
/** At least this part of the lines continues the sentence of the line above. */
const CONTINUED_LINES = 0.3;
/** The most cells with a number only. */
const NUMBERS = 0.2;
/** A larger distance between two lines, compared to the usual one, separates paragraphs or rows of a table. */
const WIDE_STEP = 1.35;
const ALIGNED_STEPS = 0.7;

/**
 * Returns the items of a page as groups in reading order. A page with columns of text has a group for each column, and
 * for what is above and below. Other pages, also those with tables, are one group in the order of the file.
 */
export function columnsOf(items: readonly TextItem[]): readonly (readonly TextItem[])[] {
  const upright = items.filter(({ turned }) => !turned);
  if (upright.length < 2 * MIN_LINES || upright.length > MOST_ITEMS) return [items];
  const groups = divided(upright, isRightToLeft(upright), 0);
  if (groups.length < 2) return [items];
  const turned = items.filter((item) => item.turned);
  return turned.length > 0 ? [...groups, turned] : groups;
}

function divided(items: readonly TextItem[], isRtl: boolean, depth: number): (readonly TextItem[])[] {
  if (depth >= MOST_DEPTH || items.length < 2 * MIN_LINES) return items.length > 0 ? [items] : [];
  const rows = rowsOf(items);
  const found = bestColumns(rows, isRtl);
  if (found === undefined) return [items];
  const { gutter, from, to } = found;
  // Between the rows at this place and the one above it.
  const heightAbove = (at: number) =>
    ((rows[at - 1]?.y ?? Number.POSITIVE_INFINITY) + (rows[at]?.y ?? Number.NEGATIVE_INFINITY)) / 2;
  const [top, bottom] = [
    from === 0 ? Number.POSITIVE_INFINITY : heightAbove(from),
    to === rows.length ? Number.NEGATIVE_INFINITY : heightAbove(to),
  ];
  const middle = items.filter(({ y }) => y <= top && y > bottom);
  const left = middle.filter(({ x }) => x < gutter);
  const right = middle.filter(({ x }) => x >= gutter);
  const parts = [items.filter(({ y }) => y > top), ...(isRtl ? [right, left] : [left, right])];
  return [...parts, items.filter(({ y }) => y <= bottom)].flatMap((part) => divided(part, isRtl, depth + 1));
}

/** Returns the rows from the top to the bottom, each with its pieces from left to right. */
export function rowsOf(items: readonly TextItem[]): Row[] {
  const rows: { y: number; size: number; items: TextItem[] }[] = [];
  const shown = items.filter(({ text }) => text.trim() !== '');
  for (const item of shown.sort((a, b) => b.y - a.y)) {
    const last = rows.at(-1);
    if (last !== undefined && last.y - item.y < SAME_ROW * Math.max(last.size, item.size)) last.items.push(item);
    else rows.push({ y: item.y, size: item.size, items: [item] });
  }
  return rows.map(({ y, size, items }) => ({ y, size, pieces: piecesOf(items) }));
}

function piecesOf(items: readonly TextItem[]): Piece[] {
  const pieces: { left: number; right: number; text: string }[] = [];
  for (const { x, width, text, size } of items.toSorted((a, b) => a.x - b.x)) {
    const last = pieces.at(-1);
    if (last !== undefined && x - last.right < GUTTER * size) {
      last.text += x - last.right > 0.1 * size ? ` ${text}` : text;
      last.right = Math.max(last.right, x + width);
    } else pieces.push({ left: x, right: x + width, text });
  }
  return pieces;
}

interface Columns {
  /** The place between the columns. */
  readonly gutter: number;
  /** The rows of the columns. */
  readonly from: number;
  readonly to: number;
}

/** Returns the longest run of rows that are two columns of text. */
function bestColumns(rows: readonly Row[], isRtl: boolean): Columns | undefined {
  const tables: Columns[] = [];
  for (const { run } of runsOf(rows, isRtl).sort((a, b) => b.length - a.length)) {
    // A part of a table may look like columns.
    if (tables.some(({ from, to }) => run.from < to && run.to > from)) continue;
    const kind = kindOf(rows, run);
    if (kind === 'columns') return run;
    if (kind === 'table') tables.push(run);
  }
  return undefined;
}

/** Returns the runs of rows that have a gap at the same place. */
function runsOf(rows: readonly Row[], isRtl: boolean): { run: Columns; length: number }[] {
  const runs: { run: Columns; length: number }[] = [];
  for (const gutter of gutters(rows)) {
    for (let at = 0, to: number; at < rows.length; at = to + 1) {
      for (to = at; to < rows.length && !crosses(rows[to] as Row, gutter); ) to++;
      const run = trimmed(rows, { gutter, from: at, to }, isRtl);
      if (run !== undefined) runs.push({ run, length: run.to - run.from });
    }
  }
  return runs;
}

/** Returns places that may be between two columns: beside edges that several rows share. */
function gutters(rows: readonly Row[]): number[] {
  const counts = new Map<number, { place: number; count: number }>();
  for (const { size, pieces } of rows) {
    for (const { left, right } of pieces) {
      for (const place of [left - (GUTTER / 2) * size, right + (GUTTER / 2) * size]) {
        const known = counts.getOrInsertComputed(Math.round(place / 2), () => ({ place, count: 0 }));
        known.count++;
      }
    }
  }
  const usual = [...counts.values()].filter(({ count }) => count >= MIN_LINES).sort((a, b) => b.count - a.count);
  return usual.slice(0, MOST_CANDIDATES).map(({ place }) => place);
}

function crosses({ pieces, size }: Row, gutter: number): boolean {
  const space = (GUTTER / 2) * size * 0.9;
  return pieces.some(({ left, right }) => left < gutter + space && right > gutter - space);
}

/**
 * Omits single lines above and below, such as a date or the number of a page, which belong to no column. Returns
 * undefined if a column has too few lines.
 */
function trimmed(rows: readonly Row[], { gutter, from, to }: Columns, isRtl: boolean): Columns | undefined {
  const sides = (at: number) => {
    const { pieces } = rows[at] as Row;
    return [pieces.some(({ left }) => left < gutter), pieces.some(({ left }) => left >= gutter)] as const;
  };
  const rowsWith = (side: 0 | 1) =>
    Array.from({ length: to - from }, (_, i) => from + i).filter((at) => sides(at)[side]);
  const [first, second] = isRtl ? [rowsWith(1), rowsWith(0)] : [rowsWith(0), rowsWith(1)];
  if (first.length < MIN_LINES || second.length < MIN_LINES) return undefined;
  const [firstTop, secondTop] = [first[0] as number, second[0] as number];
  // A line of the second column above the first one is read before.
  const top =
    secondTop < firstTop && second.filter((at) => at < firstTop).length === 1
      ? firstTop
      : Math.min(firstTop, secondTop);
  const step = usualStep(rows.slice(from, to));
  const lastOfSecond = second.at(-1) as number;
  const extra = first.filter((at) => at > lastOfSecond);
  const [only] = extra;
  const isApart =
    only !== undefined && extra.length === 1 && (rows[only - 1] as Row).y - (rows[only] as Row).y > WIDE_STEP * step;
  return { gutter, from: top, to: isApart ? only : to };
}

/** Returns the most frequent distance of neighbouring lines in one column. */
function usualStep(rows: readonly Row[]): number {
  const steps = rows
    .slice(1)
    .map((row, i) => (rows[i] as Row).y - row.y)
    .sort((a, b) => a - b);
  return steps[steps.length >> 1] ?? 0;
}

/** Returns whether both sides are lines of text, or cells of a table whose lines look like text. */
function kindOf(rows: readonly Row[], { gutter, from, to }: Columns): 'columns' | 'table' | undefined {
  const sideOf = (isSide: (piece: Piece) => boolean) =>
    rows
      .slice(from, to)
      .flatMap(({ y, size, pieces }) => pieces.filter(isSide).map((piece) => ({ ...piece, y, size })));
  const left = sideOf((piece) => piece.left < gutter);
  const right = sideOf((piece) => piece.left >= gutter);
  if (![left, right].every(isProse)) return undefined;
  const pairs = [...pairsOf(left), ...pairsOf(right)];
  const continued = pairs.filter(([above, below]) => continues(above.text, below.text)).length;
  if (continued < CONTINUED_LINES * pairs.length) return undefined;
  return haveAlignedSteps(left, right) ? 'table' : 'columns';
}

type Line = Piece & { readonly y: number; readonly size: number };

function isProse(lines: readonly Line[]): boolean {
  if (lines.length < MIN_LINES) return false;
  // Characters of East Asia are twice as wide.
  const characters = lines.reduce(
    (sum, { text }) => sum + text.length + (text.match(/[\u3040-\u9fff\uac00-\ud7af]/g)?.length ?? 0),
    0,
  );
  if (characters < PROSE_CHARACTERS * lines.length) return false;
  if (lines.filter(({ text }) => /^[\d\s.,:%€$£+()/-]+$/.test(text)).length > NUMBERS * lines.length) return false;
  const widths = lines.map(({ left, right }) => right - left).sort((a, b) => a - b);
  const usual = widths[Math.floor(widths.length * 0.9)] ?? 0;
  return widths.filter((width) => width >= FULL * usual).length >= FULL_LINES * lines.length;
}

/** Returns the lines that follow each other in one column, which begin or end at the same place. */
function pairsOf(lines: readonly Line[]): [Line, Line][] {
  const pairs: [Line, Line][] = [];
  const open: Line[] = [];
  for (const line of lines) {
    const at = open.findIndex(({ left, right }) => left < line.right && right > line.left);
    const above = open[at];
    if (above === undefined) open.push(line);
    else {
      pairs.push([above, line]);
      open[at] = line;
    }
  }
  return pairs;
}

export function continues(above: string, below: string): boolean {
  const end = hasRightToLeft(above) ? above.trim().at(0) : above.trim().at(-1);
  if (/[.!?。！？…]/.test(end ?? '')) return false;
  return !/^[^\p{L}]*\p{Lu}/u.test(below.trim());
}

/** Rows of a table are apart at the same heights in all its columns. */
function haveAlignedSteps(left: readonly Line[], right: readonly Line[]): boolean {
  const step = Math.min(usualStepOf(left), usualStepOf(right));
  const wide = (lines: readonly Line[]) =>
    pairsOf(lines)
      .filter(([above, below]) => above.y - below.y > WIDE_STEP * step)
      .map(([, { y }]) => y);
  const [ofLeft, ofRight] = [wide(left), wide(right)];
  if (Math.max(ofLeft.length, ofRight.length) < 2) return false;
  const aligned = ofLeft.filter((y) => ofRight.some((other) => Math.abs(other - y) < step / 2)).length;
  return aligned >= ALIGNED_STEPS * Math.max(ofLeft.length, ofRight.length);
}

function usualStepOf(lines: readonly Line[]): number {
  const steps = pairsOf(lines)
    .map(([above, below]) => above.y - below.y)
    .sort((a, b) => a - b);
  return steps[steps.length >> 1] ?? 0;
}
