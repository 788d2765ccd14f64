import type { Block } from '../blocks/blocks.ts';
import { type Attributes, readXml } from './xml.ts';

/** A shape of a slide with its text. */
export interface SlideShape {
  /** The place in the units of the file; undefined if the layout of the slide gives it. */
  readonly place: Place | undefined;
  /** The kind and the number of a placeholder, which identify it in the layout of the slide. */
  readonly placeholder: { readonly type: string; readonly index: string } | undefined;
  readonly isTitle: boolean;
  readonly isHidden: boolean;
  readonly blocks: readonly Block[];
  /** The relations of the charts, diagrams and embedded files that the shape shows. */
  readonly relations: readonly string[];
  /** The shapes of a group. */
  readonly shapes: readonly SlideShape[];
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** The shapes of a slide in the order of the file, which is the order in which they cover each other. */
export interface SlideShapes {
  readonly isHidden: boolean;
  readonly shapes: readonly SlideShape[];
}

const SHAPES: ReadonlySet<string> = new Set(['sp', 'graphicFrame', 'pic', 'cxnSp', 'grpSp', 'contentPart']);

/** A shape that is not read completely. */
class OpenShape {
  x: number | undefined;
  y: number | undefined;
  height: number | undefined;
  placeholder: SlideShape['placeholder'];
  isHidden = false;
  readonly blocks: Block[] = [];
  readonly relations: string[] = [];
  readonly shapes: SlideShape[] = [];

  close(): SlideShape {
    const { x, y, height = 0, placeholder, isHidden, blocks, relations, shapes } = this;
    return {
      place: x === undefined || y === undefined ? undefined : { x, y, height },
      placeholder,
      isTitle: /title$/i.test(placeholder?.type ?? ''),
      isHidden,
      blocks,
      relations,
      shapes,
    };
  }
}

/** Reads the shapes of a slide, of a layout or of notes. */
export function readShapes(bytes: Uint8Array): SlideShapes {
  const root = new OpenShape();
  const open: OpenShape[] = [root];
  let isHidden = false;
  let text = '';
  let depth = 0;
  let inText = false;
  let rows: string[][] | undefined;
  /** How many elements are open that repeat a shape for programs that do not know it. */
  let fallbacks = 0;
  const shape = () => open.at(-1) as OpenShape;
  readXml(bytes, {
    open(name, attributes) {
      if (name === 'Fallback') fallbacks++;
      if (fallbacks > 0) return;
      if (SHAPES.has(name)) open.push(new OpenShape());
      else if (name === 'sld') isHidden = isFalse(attributes.get('show'));
      else if (name === 'cNvPr') shape().isHidden ||= isTrue(attributes.get('hidden'));
      else if (name === 'ph') {
        shape().placeholder = { type: attributes.get('type') ?? 'body', index: attributes.get('idx') ?? '' };
      } else if (name === 'off') placeOf(shape(), attributes);
      else if (name === 'ext' && attributes.get('cy') !== undefined) shape().height ??= Number(attributes.get('cy'));
      else if (name === 'chart' || name === 'oleObj') addRelation(shape(), attributes.get('id'));
      else if (name === 'relIds') addRelation(shape(), attributes.get('dm'));
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
      if (name === 'Fallback') fallbacks--;
      if (fallbacks > 0) return;
      if (SHAPES.has(name)) {
        const closed = (open.pop() as OpenShape).close();
        shape().shapes.push(closed);
      } else if (name === 't') inText = false;
      else if (name === 'tbl') {
        if (rows !== undefined) shape().blocks.push({ kind: 'table', rows });
        rows = undefined;
      } else if (name === 'p') {
        const row = rows?.at(-1);
        if (row !== undefined && row.length > 0) row[row.length - 1] = `${row.at(-1)}\n${text}`.trim();
        else if (/title$/i.test(shape().placeholder?.type ?? ''))
          shape().blocks.push({ kind: 'heading', level: 2, text });
        else shape().blocks.push({ kind: 'item', depth, ordered: false, text });
        text = '';
        depth = 0;
      }
    },
  });
  return { isHidden, shapes: root.shapes };
}

function placeOf(shape: OpenShape, attributes: Attributes): void {
  shape.x ??= Number(attributes.get('x') ?? 0);
  shape.y ??= Number(attributes.get('y') ?? 0);
}

function addRelation(shape: OpenShape, id: string | undefined): void {
  if (id !== undefined) shape.relations.push(id);
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function isFalse(value: string | undefined): boolean {
  return value === '0' || value === 'false';
}

/**
 * Returns shapes in reading order: the title first, then from the top to the bottom, and from the left to the right if
 * they are beside each other. A shape without a place stays after the one before it.
 * @param layout the shapes of the layout, which has the places of placeholders
 */
export function inReadingOrder(shapes: readonly SlideShape[], layout: readonly SlideShape[]): readonly SlideShape[] {
  let last: Place = { x: 0, y: Number.NEGATIVE_INFINITY, height: 0 };
  const placed = shapes.map((shape) => {
    last = shape.place ?? placeInLayout(shape, layout) ?? last;
    return { shape, place: last };
  });
  const titles = placed.filter(({ shape }) => shape.isTitle);
  const others = placed.filter(({ shape }) => !shape.isTitle).sort((a, b) => a.place.y - b.place.y);
  const rows: (typeof placed)[] = [];
  for (const one of others) {
    const first = rows.at(-1)?.[0]?.place;
    // It is beside the first one of the row if it begins above the middle of that.
    if (first !== undefined && one.place.y <= first.y + first.height / 2) rows.at(-1)?.push(one);
    else rows.push([one]);
  }
  const ordered = rows.flatMap((row) => row.sort((a, b) => a.place.x - b.place.x));
  return [...titles, ...ordered].map(({ shape }) => shape);
}

function placeInLayout({ placeholder }: SlideShape, layout: readonly SlideShape[]): Place | undefined {
  if (placeholder === undefined) return undefined;
  const { type, index } = placeholder;
  const same =
    layout.find((one) => index !== '' && one.placeholder?.index === index) ??
    layout.find((one) => one.placeholder?.type === type);
  return same?.place;
}
