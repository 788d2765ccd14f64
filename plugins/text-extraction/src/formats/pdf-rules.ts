import type { getDocumentProxy } from 'unpdf';

type PdfPage = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;
type Matrix = readonly [number, number, number, number, number, number];

/** A straight line that is drawn on a page: horizontal at a height, or vertical at a distance from the left edge. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Rules {
  readonly horizontal: readonly Rule[];
  readonly vertical: readonly Rule[];
}

/** The operators of a path in pdf.js, by their number, and how many numbers follow them. */
const MOVE = 0;
const LINE = 1;
const CLOSE = 4;
const NUMBERS: readonly number[] = [2, 2, 6, 4, 0];
/** A filled rectangle that is thinner is a line, in points. */
const THIN = 2.5;
/** Lines that are closer to each other than this are one line. */
const SAME = 2;
const SHORTEST = 5;
/** A page with more lines is a drawing or a map. */
const MOST_LINES = 5000;

/** Returns the lines that are drawn on a page. A page with very many has none: it is a drawing. */
export async function rulesOf(page: PdfPage): Promise<Rules> {
  const { getResolvedPDFJS } = await import('unpdf');
  const { OPS } = await getResolvedPDFJS();
  const strokes = new Set([
    OPS.stroke,
    OPS.closeStroke,
    OPS.fillStroke,
    OPS.eoFillStroke,
    OPS.closeFillStroke,
    OPS.closeEOFillStroke,
  ]);
  const fills = new Set([OPS.fill, OPS.eoFill]);
  const { fnArray, argsArray } = await page.getOperatorList();
  const horizontal: Rule[] = [];
  const vertical: Rule[] = [];
  const add = ([x1, y1]: Point, [x2, y2]: Point) => {
    if (Math.abs(y1 - y2) < 1 && Math.abs(x1 - x2) >= SHORTEST) {
      horizontal.push({ at: y1, from: Math.min(x1, x2), to: Math.max(x1, x2) });
    } else if (Math.abs(x1 - x2) < 1 && Math.abs(y1 - y2) >= SHORTEST) {
      vertical.push({ at: x1, from: Math.min(y1, y2), to: Math.max(y1, y2) });
    }
  };
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  const saved: Matrix[] = [];
  for (const [i, operator] of fnArray.entries()) {
    const args = (argsArray[i] ?? []) as unknown[];
    if (operator === OPS.save) saved.push(matrix);
    else if (operator === OPS.restore) matrix = saved.pop() ?? matrix;
    else if (operator === OPS.transform) matrix = product(matrix, args as unknown as Matrix);
    else if (operator === OPS.paintFormXObjectBegin) {
      saved.push(matrix);
      if (Array.isArray(args[0])) matrix = product(matrix, args[0] as unknown as Matrix);
    } else if (operator === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? matrix;
    else if (operator === OPS.constructPath) {
      const [paint, [path] = []] = args as [number, (ArrayLike<number> | null)[]?];
      if (path === null || path === undefined) continue;
      if (strokes.has(paint)) for (const [from, to] of linesOf(path, matrix)) add(from, to);
      else if (fills.has(paint)) addThin(linesOf(path, matrix), add);
      if (horizontal.length + vertical.length > MOST_LINES) return { horizontal: [], vertical: [] };
    }
  }
  return { horizontal: joined(horizontal), vertical: joined(vertical) };
}

type Point = readonly [number, number];

function product(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** Returns the straight lines of a path. */
function linesOf(path: ArrayLike<number>, [a, b, c, d, e, f]: Matrix): [Point, Point][] {
  const lines: [Point, Point][] = [];
  let start: Point | undefined;
  let last: Point | undefined;
  for (let at = 0; at < path.length; ) {
    const operator = path[at++] as number;
    const count = NUMBERS[operator];
    if (count === undefined) break;
    const [x = 0, y = 0] = count === 0 ? [] : [path[at + count - 2], path[at + count - 1]];
    const point: Point = [a * x + c * y + e, b * x + d * y + f];
    at += count;
    if (operator === MOVE) start = point;
    else if (operator === LINE && last !== undefined) lines.push([last, point]);
    else if (operator === CLOSE && last !== undefined && start !== undefined) lines.push([last, start]);
    last = operator === CLOSE ? start : point;
  }
  return lines;
}

/** Adds the line that a thin filled rectangle is. */
function addThin(lines: readonly [Point, Point][], add: (from: Point, to: Point) => void): void {
  if (lines.length < 3 || lines.length > 4) return;
  const points = lines.flat();
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (top - bottom <= THIN) add([left, bottom], [right, bottom]);
  else if (right - left <= THIN) add([left, bottom], [left, top]);
}

/** Joins lines that continue or cover each other, such as the edges of neighbouring cells. */
function joined(rules: readonly Rule[]): Rule[] {
  const places: { at: number; rules: Rule[] }[] = [];
  for (const rule of rules.toSorted((a, b) => a.at - b.at)) {
    const last = places.at(-1);
    if (last !== undefined && rule.at - last.at <= SAME) last.rules.push(rule);
    else places.push({ at: rule.at, rules: [rule] });
  }
  return places.flatMap(({ at, rules: same }) => {
    const spans: { at: number; from: number; to: number }[] = [];
    for (const { from, to } of same.sort((a, b) => a.from - b.from)) {
      const last = spans.at(-1);
      if (last !== undefined && from - last.to <= SAME) last.to = Math.max(last.to, to);
      else spans.push({ at, from, to });
    }
    return spans;
  });
}
