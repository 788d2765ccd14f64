import type { Extraction } from '../blocks/blocks.ts';
import type { FileInput, FormatReader } from './format.ts';
import { hiddenBlocks, isShown } from './hidden.ts';
import { addParagraphs, readOfficePart, readOfficeParts } from './office-parts.ts';
import { readOfficeImages, readOfficeProperties } from './office-properties.ts';
import { type Relation, readRelations } from './relations.ts';
import { inReadingOrder, readShapes, type SlideShape } from './slide-shapes.ts';
import { readXml } from './xml.ts';
import { readZip, type ZipEntry } from './zip.ts';

const PRESENTATION = 'ppt/presentation.xml';

/** Reads PowerPoint files, slide by slide, with titles, lists, tables, charts, notes and comments. */
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
  /** The parts that were read where their slide shows them. */
  const shown = new Set<string>();
  const layouts = new Map<string, readonly SlideShape[]>();
  for (const [i, path] of slides.entries()) {
    const content = await entry(path)?.read();
    const slide = content === undefined ? undefined : readShapes(content);
    if (slide !== undefined && !isShown(slide.isHidden, input)) {
      for (const { type, path: part } of (await readRelations(entries, path)).values()) {
        shown.add(part);
        // The numbers of a chart are in a workbook too.
        if (type === 'chart') for (const inner of (await readRelations(entries, part)).values()) shown.add(inner.path);
      }
      continue;
    }
    to.add({ kind: 'page', number: i + 1 });
    if (slide === undefined) continue;
    const related = await readRelations(entries, path);
    const layoutPath = [...related.values()].find(({ type }) => type === 'slideLayout')?.path;
    const layout = await layoutOf(layoutPath, entry, layouts);
    for (const block of hiddenBlocks(slide.isHidden, [], input)) to.add(block);
    await addShapes(slide.shapes, { layout, related, entry, shown, input, to });
    for (const { type, path: partPath } of related.values()) {
      const part = type === 'notesSlide' || type === 'comments' ? await entry(partPath)?.read() : undefined;
      if (part === undefined) continue;
      if (type === 'comments') addParagraphs(part, to);
      else for (const shape of readShapes(part).shapes) for (const block of blocksOf(shape)) to.add(block);
    }
  }
  for (const { name, read } of entries) {
    if (!/^ppt\/slide(Masters|Layouts)\/[^/]+\.xml$/.test(name)) continue;
    // The placeholders of a master contain instructions.
    for (const shape of readShapes(await read()).shapes) {
      if (shape.placeholder === undefined) for (const block of blocksOf(shape)) to.add(block);
    }
  }
  await readOfficeParts(
    entries.filter(({ name }) => !shown.has(name)),
    input,
    to,
  );
  await readOfficeImages(entries, to);
};

interface SlideContext {
  readonly layout: readonly SlideShape[];
  readonly related: ReadonlyMap<string, Relation>;
  readonly entry: (name: string) => ZipEntry | undefined;
  readonly shown: Set<string>;
  readonly input: FileInput;
  readonly to: Extraction;
}

/** Adds shapes in reading order, with the charts, diagrams and files that they show. */
async function addShapes(shapes: readonly SlideShape[], context: SlideContext): Promise<void> {
  const { layout, related, entry, shown, input, to } = context;
  for (const shape of inReadingOrder(shapes, layout)) {
    const parts = shape.relations.flatMap((id) => related.get(id)?.path ?? []);
    if (!isShown(shape.isHidden, input)) {
      for (const path of parts) shown.add(path);
      continue;
    }
    for (const block of hiddenBlocks(shape.isHidden, shape.blocks, input)) to.add(block);
    for (const path of parts) {
      const part = entry(path);
      if (part === undefined || shown.has(path)) continue;
      shown.add(path);
      await readOfficePart(part, input, to);
    }
    await addShapes(shape.shapes, { ...context, layout: [] });
  }
}

function blocksOf({ blocks, shapes }: SlideShape): readonly SlideShape['blocks'][number][] {
  return [...blocks, ...shapes.flatMap(blocksOf)];
}

/** Returns the shapes of a layout, which many slides share. */
async function layoutOf(
  path: string | undefined,
  entry: SlideContext['entry'],
  known: Map<string, readonly SlideShape[]>,
): Promise<readonly SlideShape[]> {
  if (path === undefined) return [];
  const found = known.get(path);
  if (found !== undefined) return found;
  const content = await entry(path)?.read();
  const shapes = content === undefined ? [] : readShapes(content).shapes;
  known.set(path, shapes);
  return shapes;
}
