import type { getDocumentProxy } from 'unpdf';
import type { Extraction } from '../blocks/blocks.ts';
import type { ExpansionBudget } from './format.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/** The kinds of images of pdf.js: how many bits a pixel has. */
const GRAY_1_BIT = 1;
const RGB_24_BITS = 2;
const RGBA_32_BITS = 3;

/** An image that pdf.js has decoded. */
interface DecodedImage {
  readonly width: number;
  readonly height: number;
  readonly kind: number;
  readonly data: Uint8Array;
}

/** The color types of PNG. */
const GRAY = 0;
const RGB = 2;
const RGBA = 6;

/** Adds the images of a PDF file as PNG. An image that several pages share is added once. */
export class PdfImages {
  readonly #to: Extraction;
  readonly #budget: ExpansionBudget;
  /** The images that pdf.js shares between pages. */
  readonly #shared = new Set<string>();
  #count = 0;

  constructor(to: Extraction, budget: ExpansionBudget) {
    this.#to = to;
    this.#budget = budget;
  }

  /** Adds the images of a page, in the order in which they are drawn. */
  async add(page: PdfPage): Promise<void> {
    const { getResolvedPDFJS } = await import('unpdf');
    const { OPS } = await getResolvedPDFJS();
    const { fnArray, argsArray } = await page.getOperatorList();
    const drawn = new Set<string>();
    if (isDrawn(fnArray, OPS)) this.#to.seeDrawing();
    for (const [i, operator] of fnArray.entries()) {
      const [first] = (argsArray[i] ?? []) as unknown[];
      if (operator === OPS.paintInlineImageXObject) await this.#write(first, page.pageNumber);
      if (operator !== OPS.paintImageXObject || typeof first !== 'string') continue;
      const isShared = first.startsWith('g_');
      const seen = isShared ? this.#shared : drawn;
      if (seen.has(first)) continue;
      seen.add(first);
      const objects = isShared ? page.commonObjs : page.objs;
      await this.#write(await new Promise((resolve) => objects.get(first, resolve)), page.pageNumber);
    }
  }

  async #write(found: unknown, page: number): Promise<void> {
    // An image that cannot be decoded is null.
    const image = found as Partial<DecodedImage> | null;
    if (image?.data === undefined || !image.width || !image.height) return;
    const pixels = pixelsOf(image as DecodedImage);
    if (pixels === undefined) return;
    this.#budget.take(pixels.data.length);
    const { PNG } = await import('pngjs');
    const { width, height } = image;
    const { colorType } = pixels;
    const options = { colorType, inputColorType: colorType, inputHasAlpha: colorType === RGBA };
    const bytes = PNG.sync.write({ width, height, data: pixels.data } as InstanceType<typeof PNG>, options);
    this.#to.addImage({ name: `image-${++this.#count}.png`, mediaType: 'image/png', bytes, page });
  }
}

/** Many shapes may be letters that were converted to outlines. */
const MANY_SHAPES = 40;

/** Returns whether the operators draw an image, also a stencil, or many shapes. */
function isDrawn(operators: readonly number[], OPS: Readonly<Record<string, number>>): boolean {
  const images = [
    OPS['paintImageXObject'],
    OPS['paintInlineImageXObject'],
    OPS['paintInlineImageXObjectGroup'],
    OPS['paintImageXObjectRepeat'],
    OPS['paintImageMaskXObject'],
    OPS['paintImageMaskXObjectGroup'],
    OPS['paintImageMaskXObjectRepeat'],
  ];
  let shapes = 0;
  for (const operator of operators) {
    if (images.includes(operator)) return true;
    if (operator === OPS['constructPath'] && ++shapes >= MANY_SHAPES) return true;
  }
  return false;
}

/** Returns whether a page shows something that may be text, but is drawn. */
export async function isPageDrawn(page: PdfPage): Promise<boolean> {
  const { getResolvedPDFJS } = await import('unpdf');
  const { OPS } = await getResolvedPDFJS();
  return isDrawn((await page.getOperatorList()).fnArray, OPS);
}

/** Returns the pixels with one byte for each channel. Returns undefined if their number does not fit the image. */
function pixelsOf({ width, height, kind, data }: DecodedImage): { colorType: 0 | 2 | 6; data: Buffer } | undefined {
  const pixels = width * height;
  const whole = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (kind === RGBA_32_BITS && whole.length === pixels * 4) return { colorType: RGBA, data: whole };
  if (kind === RGB_24_BITS && whole.length === pixels * 3) return { colorType: RGB, data: whole };
  const rowBytes = (width + 7) >> 3;
  if (kind !== GRAY_1_BIT || whole.length !== rowBytes * height) return undefined;
  const gray = Buffer.alloc(pixels);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = ((whole[y * rowBytes + (x >> 3)] as number) >> (7 - (x & 7))) & 1;
      gray[at++] = bit === 1 ? 255 : 0;
    }
  }
  return { colorType: GRAY, data: gray };
}
