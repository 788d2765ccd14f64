import type { Extraction } from '../blocks/blocks.ts';
import { columnsOf } from './pdf-columns.ts';
import { hasLetters, hasRightToLeft, isRightToLeft, type Reorder } from './pdf-direction.ts';
import type { RuledTable } from './pdf-tables.ts';

/** A piece of text on a page. The origin is at the bottom left, in points. */
export interface TextItem {
  /** In the order from left to right. */
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the font. */
  readonly size: number;
  /** Whether the line is not horizontal. */
  readonly turned: boolean;
  /** The table at this place. The item has its title as its text. */
  readonly table?: RuledTable;
}

/** A line of a page: cells that are separated by wide gaps. */
interface Line {
  readonly y: number;
  readonly size: number;
  readonly cells: readonly { readonly x: number; readonly text: string }[];
  readonly table?: RuledTable | undefined;
}

/** Items whose baselines differ by less than this part of the font size are in one line. */
const SAME_LINE = 0.5;
/** A gap of this part of the font size is a blank, and a wider one separates cells. */
const BLANK = 0.15;
const CELL_GAP = 1.5;
/** A line with a font that is larger than the text by this factor is a heading. */
const HEADING = 1.15;
const LONGEST_HEADING = 200;
/** This many lines with the same columns are a table. */
const TABLE_LINES = 3;
/** A larger distance to the line above, in font sizes, begins a paragraph. */
const PARAGRAPH_GAP = 1.6;
/** A mark begins at most this far before its letter, in points. */
const MARK_TOLERANCE = 0.2;
/** The lines of a page jump upwards at most this often, as a number and as a part of its lines. */
const MOST_JUMPS = 3;
const JUMPING_LINES = 0.3;
/** Columns begin at the same place if their positions differ by less than this part of the font size. */
const SAME_COLUMN = 1;

/**
 * Adds the text of a page: its columns in order, headings by the size of their font, tables by columns that
 * begin at the same places.
 */
export function addPage(
  texts: readonly TextItem[],
  reorder: Reorder,
  to: Extraction,
  tables: readonly RuledTable[] = [],
): void {
  const isRtl = isRightToLeft(texts);
  const items = withTables(texts, tables);
  const columns = columnsOf(items);
  const lines = columns.flatMap((column) => linesOf(inOrder(column, columns.length > 1), isRtl, reorder));
  const body = bodySize(lines);
  const sizes = [...new Set(lines.map(({ size }) => Math.round(size)).filter((size) => size > body * HEADING))];
  sizes.sort((a, b) => b - a);
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) to.add({ kind: 'paragraph', text: joinLines(paragraph) });
    paragraph = [];
  };
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] as Line;
    if (line.table !== undefined) {
      endParagraph();
      to.add({ kind: 'table', rows: cellTexts(line.table, isRtl, reorder) });
      i++;
      continue;
    }
    const rows = tableAt(lines, i);
    if (rows > 0) {
      endParagraph();
      to.add({ kind: 'table', rows: tableRows(lines.slice(i, i + rows), isRtl) });
      i += rows;
      continue;
    }
    const text = textOf(line);
    const level = sizes.indexOf(Math.round(line.size)) + 1;
    if (level > 0 && text.length <= LONGEST_HEADING) {
      endParagraph();
      to.add({ kind: 'heading', level, text });
    } else {
      const above = lines[i - 1];
      if (above !== undefined && isApart(above, line)) endParagraph();
      paragraph.push(text);
    }
    i++;
  }
  endParagraph();
}

/** The text of an item that is a table: a character that no text has. */
const TABLE = '\ue000';

/** Returns the items with each table as one item at the place of its first text. */
function withTables(items: readonly TextItem[], tables: readonly RuledTable[]): readonly TextItem[] {
  if (tables.length === 0) return items;
  const tableOf = new Map<TextItem, RuledTable>();
  for (const table of tables) for (const item of table.cells.flat(2)) tableOf.set(item, table);
  const done = new Set<RuledTable>();
  return items.flatMap((item): TextItem[] => {
    const table = tableOf.get(item);
    if (table === undefined) return item.text.trim() === '' && isInside(item, tables) ? [] : [item];
    if (done.has(table)) return [];
    done.add(table);
    const { left, right, top } = table;
    return [{ text: TABLE, x: left, y: top - item.size, width: right - left, size: item.size, turned: false, table }];
  });
}

function isInside({ x, y }: TextItem, tables: readonly RuledTable[]): boolean {
  return tables.some(({ left, right, top, bottom }) => x >= left && x <= right && y >= bottom && y <= top);
}

/** Returns the texts of the cells of a table, in the order in which they are read. */
function cellTexts({ cells }: RuledTable, isRtl: boolean, reorder: Reorder): string[][] {
  return cells.map((row) => {
    const texts = row.map((cell) => linesOf(inOrder(cell, true), isRtl, reorder).map(textOf).join('\n'));
    return isRtl ? texts.reverse() : texts;
  });
}

/** A sentence may continue in the next column. */
function isApart(above: Line, line: Line): boolean {
  if (Math.abs(above.y - line.y) <= PARAGRAPH_GAP * line.size) return false;
  const isNextColumn = line.y > above.y;
  return !(isNextColumn && /[\p{Ll},-]$/u.test(textOf(above)) && /^\p{Ll}/u.test(textOf(line)));
}

function textOf({ cells }: Line): string {
  return cells.map(({ text }) => text).join(' ');
}

/**
 * Returns the items in the order of the file, which is the reading order, unless its lines jump to and fro.
 * @param isColumn whether all lines must follow each other downwards
 */
function inOrder(items: readonly TextItem[], isColumn: boolean): readonly TextItem[] {
  const rows = rowsInOrder(items);
  const jumps = rows.filter(({ y, size }, i) => y - (rows[i - 1]?.y ?? y) > SAME_LINE * size).length;
  if (isColumn ? jumps === 0 : jumps <= Math.max(MOST_JUMPS, rows.length * JUMPING_LINES)) return items;
  const sorted: { y: number; items: TextItem[] }[] = [];
  for (const item of items.filter(({ text }) => text.trim() !== '').toSorted((a, b) => b.y - a.y)) {
    const last = sorted.at(-1);
    if (last !== undefined && last.y - item.y < SAME_LINE * (item.size || 1)) last.items.push(item);
    else sorted.push({ y: item.y, items: [item] });
  }
  return sorted.flatMap((row) => row.items.sort((a, b) => a.x - b.x));
}

/** Returns the items of a line from left to right. A mark is before its letter, as in a text that is read from the right. */
function fromLeftToRight(items: readonly TextItem[]): TextItem[] {
  const isMark = ({ text }: TextItem) => /^\s*[\p{Mn}\0]+\s*$/u.test(text);
  const letters = items.filter((item) => !isMark(item)).sort((a, b) => a.x - b.x);
  const placed = items.map((item) => {
    if (!isMark(item)) return item;
    const base = letters.findLast(({ x }) => x <= item.x + MARK_TOLERANCE);
    return { ...item, text: item.text.trim(), x: base?.x ?? item.x, width: 0 };
  });
  return placed.sort((a, b) => a.x - b.x || Number(isMark(b)) - Number(isMark(a)));
}

/** Returns whether a line begins at the left edge and does not reach the right one, as a line from left to right does. */
function beginsLeft(row: readonly TextItem[], all: readonly TextItem[]): boolean {
  const edges = (items: readonly TextItem[]) => {
    const shown = items.filter(({ text }) => text.trim() !== '');
    const left = shown.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
    return [left, shown.reduce((most, { x, width }) => Math.max(most, x + width), left)] as const;
  };
  const [left, right] = edges(row);
  const [leftEdge, rightEdge] = edges(all);
  const size = row[0]?.size ?? 0;
  return left - leftEdge < size && rightEdge - right > size;
}

function rowsInOrder(items: readonly TextItem[]): { y: number; size: number; items: TextItem[] }[] {
  const rows: { y: number; size: number; items: TextItem[] }[] = [];
  for (const item of items) {
    // Only the last line can continue.
    const last = rows.at(-1);
    const isTable = item.table !== undefined || last?.items[0]?.table !== undefined;
    const isSame = last !== undefined && !isTable && Math.abs(last.y - item.y) < SAME_LINE * (item.size || 1);
    if (isSame) last.items.push(item);
    else if (item.text.trim() !== '') rows.push({ y: item.y, size: item.size, items: [item] });
  }
  return rows;
}

function linesOf(items: readonly TextItem[], isRtlPage: boolean, reorder: Reorder): Line[] {
  const lines = rowsInOrder(items).map(({ y, size, items: row }): Line => {
    const table = row.find((item) => item.table !== undefined)?.table;
    if (table !== undefined) return { y, size, cells: [{ x: table.left, text: TABLE }], table };
    const isNumbers = isRtlPage && !row.some(({ text }) => hasLetters(text));
    if (!isNumbers && !row.some(({ text }) => hasRightToLeft(text))) {
      const line = lineOf(y, row);
      return { ...line, cells: line.cells.map(({ x, text }) => ({ x, text: reorder(text, false) })) };
    }
    const isRtl = isNumbers || isRightToLeft(row) || (isRtlPage && !beginsLeft(row, items));
    // The gaps of the line are its blanks: those of the file are placed for a line from left to right.
    const fromLeft = fromLeftToRight(row.filter(({ text }) => text.trim() !== ''));
    const line = lineOf(y, fromLeft);
    const cells = line.cells.map(({ x, text }) => ({ x, text: reorder(text, isRtl).trim() }));
    return { ...line, cells: isRtl ? cells.reverse() : cells };
  });
  return lines.filter(({ cells }) => cells.length > 0);
}

function lineOf(y: number, items: readonly TextItem[]): Line {
  const size = Math.max(...items.filter(({ text }) => text.trim() !== '').map((item) => item.size));
  const cells: { x: number; text: string }[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { text, x, width } of items) {
    const gap = x - end;
    const last = cells.at(-1);
    if (text.trim() === '') {
      // pdf.js inserts blanks for gaps; wide ones are the gaps between cells.
      if (last !== undefined && width < CELL_GAP * size && !/\s$/.test(last.text)) last.text += ' ';
      if (width < CELL_GAP * size) end = x + width;
      continue;
    }
    if (last === undefined || gap > CELL_GAP * size || gap < -CELL_GAP * size) cells.push({ x, text });
    else last.text += (gap > BLANK * size && !/\s$/.test(last.text) ? ' ' : '') + text;
    end = x + width;
  }
  return { y, size, cells: cells.map(({ x, text }) => ({ x, text: text.trim() })).filter(({ text }) => text !== '') };
}

/** Returns the font size that most characters have. */
function bodySize(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { size, cells } of lines) {
    const length = cells.reduce((sum, { text }) => sum + text.length, 0);
    characters.set(Math.round(size), (characters.get(Math.round(size)) ?? 0) + length);
  }
  return [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Returns how many lines from here on are a table; 0 if this line does not begin one. */
function tableAt(lines: readonly Line[], from: number): number {
  const first = lines[from] as Line;
  if (first.cells.length < 2) return 0;
  let count = 1;
  while (from + count < lines.length && haveSameColumns(first, lines[from + count] as Line)) count++;
  return count >= TABLE_LINES ? count : 0;
}

/** Returns whether the cells of a line begin at columns of the first line, and at least two of them do. */
function haveSameColumns(first: Line, line: Line): boolean {
  if (line.cells.length < 2) return false;
  const shared = line.cells.filter((cell) =>
    first.cells.some(({ x }) => Math.abs(x - cell.x) < SAME_COLUMN * first.size),
  );
  return shared.length >= 2 && shared.length >= line.cells.length - 1;
}

function tableRows(lines: readonly Line[], isRtl: boolean): string[][] {
  const columns: number[] = [];
  const tolerance = SAME_COLUMN * (lines[0] as Line).size;
  for (const { cells } of lines) {
    for (const { x } of cells) if (!columns.some((column) => Math.abs(column - x) < tolerance)) columns.push(x);
  }
  columns.sort((a, b) => (isRtl ? b - a : a - b));
  return lines.map(({ cells }) => {
    const row = columns.map(() => '');
    for (const { x, text } of cells) {
      const at = columns.findIndex((column) => Math.abs(column - x) < tolerance);
      row[at] = row[at] === '' ? text : `${row[at]} ${text}`;
    }
    return row;
  });
}

/** Joins lines, and words that were divided at the end of a line. */
function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) =>
    /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line) ? text.slice(0, -1) + line : `${text}\n${line}`,
  );
}
