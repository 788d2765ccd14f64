import { continues, rowsOf } from './pdf-columns.ts';
import type { TextItem } from './pdf-layout.ts';
import type { Rule, Rules } from './pdf-rules.ts';

/** A table whose cells are separated by drawn lines. */
export interface RuledTable {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The items of each cell. A cell that covers several places is at the first of them. */
  readonly cells: readonly (readonly (readonly TextItem[])[])[];
}

const TOLERANCE = 3;
/** A gap of this part of the font size may be between two cells. */
const CELL_GAP = 1.5;
/** A page with fewer lines of text that have such a gap has no table. */
const MIN_ROWS = 2;
/** More lines are no table. */
const MOST_RULES = 600;
const MOST_ITEMS = 5000;
/** A cell with nearly all the text is a frame around a page. */
const FRAME_PART = 0.7;
const FRAME_CHARACTERS = 800;
/** A table with lines between its rows only has at least this many of them. */
const MIN_HORIZONTAL = 4;
/** A row of such a table has at most this many lines of text. */
const MOST_TEXT_LINES = 8;
/** A header is at most this far above the first line, in font sizes. */
const HEADER_DISTANCE = 1.5;
/** The space between two columns without a line, as a part of the font size. */
const GUTTER = 0.8;
/** The space before a column in which several lines begin at the same place. */
const NARROW_GUTTER = 0.25;

/** Returns whether a page may have a table: looking for its lines takes time. */
export function mayHaveTable(items: readonly TextItem[]): boolean {
  let rows = 0;
  for (const { pieces, size } of rowsOf(items.filter(({ turned }) => !turned))) {
    const isWide = pieces.some(({ left }, i) => i > 0 && left - (pieces[i - 1]?.right ?? left) > CELL_GAP * size);
    if (isWide && ++rows >= MIN_ROWS) return true;
  }
  return false;
}

/** Returns the tables of a page whose cells or rows are separated by lines. */
export function ruledTables(items: readonly TextItem[], rules: Rules): RuledTable[] {
  if (rules.horizontal.length + rules.vertical.length > MOST_RULES) return [];
  const shown = items.filter(({ text, turned }) => !turned && text.trim() !== '');
  if (shown.length > MOST_ITEMS) return [];
  const groups = groupsOf(rules);
  return groups
    .flatMap((group) => {
      const table = group.vertical.length > 0 ? gridOf(group, shown) : undefined;
      return table === undefined ? [] : [table];
    })
    .concat(
      rowTables(
        groups.flatMap(({ horizontal, vertical }) => (vertical.length > 0 ? [] : horizontal)),
        shown,
      ),
    );
}

/** Returns the lines that touch each other as groups. */
function groupsOf({ horizontal, vertical }: Rules): { horizontal: Rule[]; vertical: Rule[] }[] {
  const groups: { horizontal: Rule[]; vertical: Rule[] }[] = [];
  const open = new Set<Rule>([...horizontal, ...vertical]);
  const touch = (h: Rule, v: Rule) =>
    v.at >= h.from - TOLERANCE && v.at <= h.to + TOLERANCE && h.at >= v.from - TOLERANCE && h.at <= v.to + TOLERANCE;
  const isHorizontal = new Set(horizontal);
  for (const first of [...horizontal, ...vertical]) {
    if (!open.delete(first)) continue;
    const group: Rule[] = [first];
    for (const rule of group) {
      const others = isHorizontal.has(rule) ? vertical : horizontal;
      for (const other of others) {
        const [h, v] = isHorizontal.has(rule) ? [rule, other] : [other, rule];
        if (open.has(other) && touch(h, v)) {
          open.delete(other);
          group.push(other);
        }
      }
    }
    groups.push({
      horizontal: group.filter((rule) => isHorizontal.has(rule)),
      vertical: group.filter((rule) => !isHorizontal.has(rule)),
    });
  }
  return groups;
}

/** Returns different places in ascending order, with both ends. */
function placesOf(rules: readonly Rule[], others: readonly Rule[]): number[] {
  const ends = others.flatMap(({ from, to }) => [from, to]);
  const all = [...rules.map(({ at }) => at), Math.min(...ends), Math.max(...ends)].sort((a, b) => a - b);
  return all.filter((place, i) => i === 0 || place - (all[i - 1] as number) > TOLERANCE);
}

/** Returns the table of a grid of lines; undefined if the lines are a frame or no table. */
function gridOf({ horizontal, vertical }: Rules, items: readonly TextItem[]): RuledTable | undefined {
  if (horizontal.length < 2) return undefined;
  const xs = placesOf(vertical, horizontal);
  const ys = placesOf(horizontal, vertical).reverse();
  if (xs.length < 3 || ys.length < 3) return undefined;
  const has = (rules: readonly Rule[], at: number, place: number) =>
    rules.some(
      (rule) => Math.abs(rule.at - at) <= TOLERANCE && place >= rule.from - TOLERANCE && place <= rule.to + TOLERANCE,
    );
  const middle = (places: readonly number[], i: number) => ((places[i] as number) + (places[i + 1] as number)) / 2;
  const cells: TextItem[][][] = ys.slice(1).map(() => xs.slice(1).map(() => []));
  for (const item of items) {
    let column = bandOf(xs, item.x + Math.min(item.width, item.size) / 2);
    let row = bandOf(ys, item.y + item.size * 0.3);
    if (column === undefined || row === undefined) continue;
    // Cells without a line between them are one.
    while (column > 0 && !has(vertical, xs[column] as number, middle(ys, row))) column--;
    while (row > 0 && !has(horizontal, ys[row] as number, middle(xs, column))) row--;
    cells[row]?.[column]?.push(item);
  }
  return tableOf(cells, xs, ys);
}

/** Returns the index of the band between two neighbouring places, which ascend or descend. */
function bandOf(places: readonly number[], place: number): number | undefined {
  for (let i = 0; i + 1 < places.length; i++) {
    const [from, to] = [places[i] as number, places[i + 1] as number];
    if (place >= Math.min(from, to) && place < Math.max(from, to)) return i;
  }
  return undefined;
}

function tableOf(cells: TextItem[][][], xs: readonly number[], ys: readonly number[]): RuledTable | undefined {
  const rows = cells.filter((row) => row.some((cell) => cell.length > 0));
  const columns = xs
    .slice(1)
    .flatMap((_, column) => (rows.some((row) => (row[column]?.length ?? 0) > 0) ? [column] : []));
  if (rows.length < 2 || columns.length < 2) return undefined;
  const sizes = rows.flat().map((cell) => cell.reduce((sum, { text }) => sum + text.length, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const largest = Math.max(...sizes);
  if (largest > FRAME_CHARACTERS && largest > FRAME_PART * total) return undefined;
  return {
    left: xs[0] as number,
    right: xs.at(-1) as number,
    top: ys[0] as number,
    bottom: ys.at(-1) as number,
    cells: rows.map((row) => columns.map((column) => row[column] ?? [])),
  };
}

/** Returns the tables that have lines of the same length between their rows, and no other lines. */
function rowTables(rules: readonly Rule[], items: readonly TextItem[]): RuledTable[] {
  const groups: Rule[][] = [];
  for (const rule of rules.toSorted((a, b) => b.at - a.at)) {
    const same = groups.find(
      ([first]) =>
        Math.abs((first as Rule).from - rule.from) <= TOLERANCE && Math.abs((first as Rule).to - rule.to) <= TOLERANCE,
    );
    if (same === undefined) groups.push([rule]);
    else same.push(rule);
  }
  return groups.flatMap((group) => {
    const table = group.length < MIN_HORIZONTAL ? undefined : rowTable(group, items);
    return table === undefined ? [] : [table];
  });
}

function rowTable(rules: readonly Rule[], items: readonly TextItem[]): RuledTable | undefined {
  const [{ from, to }] = rules as [Rule];
  const ys = [...headerTop(rules, items), ...rules.map(({ at }) => at)];
  const inside = items.filter(
    ({ x, y, size }) => x >= from - size && x <= to && bandOf(ys, y + size * 0.3) !== undefined,
  );
  const inner = gapsOf(inside);
  if (inner.length === 0) return undefined;
  const xs = [from - TOLERANCE, ...inner, to + TOLERANCE];
  const cells: TextItem[][][] = ys.slice(1).map(() => xs.slice(1).map(() => []));
  for (const item of inside) {
    const column = bandOf(xs, Math.max(item.x, from));
    const row = bandOf(ys, item.y + item.size * 0.3);
    if (column !== undefined && row !== undefined) cells[row]?.[column]?.push(item);
  }
  return cells.every(isOneRow) ? tableOf(cells, xs, ys) : undefined;
}

/** Returns the height above a line of text that is directly above the first line and has several cells: the header. */
function headerTop([first]: readonly Rule[], items: readonly TextItem[]): number[] {
  if (first === undefined) return [];
  const above = items.filter(
    ({ x, y, size }) =>
      y > first.at && y - first.at < HEADER_DISTANCE * size && x >= first.from - size && x <= first.to,
  );
  const rows = rowsOf(above);
  return rows.length === 1 && (rows[0]?.pieces.length ?? 0) > 1 ? [(rows[0]?.y ?? 0) + (rows[0]?.size ?? 0)] : [];
}

/** Returns places between the columns that no text covers. */
function gapsOf(items: readonly TextItem[]): number[] {
  const gaps: number[] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const { x, width, size } of items.toSorted((a, b) => a.x - b.x)) {
    const isWide = x - end > GUTTER * size;
    const isAligned = x - end > NARROW_GUTTER * size && items.filter((item) => Math.abs(item.x - x) < 1).length > 1;
    if (isWide || isAligned) gaps.push((x + end) / 2);
    end = end === Number.POSITIVE_INFINITY ? x + width : Math.max(end, x + width);
  }
  return gaps;
}

/** Several rows may be between two lines. Then each of their lines has text in all columns, and begins a sentence. */
function isOneRow(cells: readonly (readonly TextItem[])[]): boolean {
  const texts = cells
    .filter((cell) => cell.length > 0)
    .map((cell) => rowsOf(cell).map(({ pieces }) => pieces.map(({ text }) => text).join(' ')));
  const most = Math.max(0, ...texts.map(({ length }) => length));
  if (most > MOST_TEXT_LINES) return false;
  if (texts.length < 2 || most < 3 || texts.some(({ length }) => length < most)) return true;
  const pairs = texts.flatMap((lines) => lines.slice(1).map((line, i) => continues(lines[i] as string, line)));
  return pairs.filter((isContinued) => isContinued).length * 2 >= pairs.length;
}
