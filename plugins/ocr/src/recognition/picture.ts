import type { PDFiumPage } from '@hyzyla/pdfium';
import { openPdfium } from './pdfium.ts';
import { DOTS_PER_INCH, UNREADABLE } from './recognizer.ts';

/** A page to read: an image, or a page of a PDF file. */
export interface Picture {
  /** The size in pixels; undefined if it cannot be read. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** Returns the image in a format that Tesseract reads. */
  image(): Promise<Uint8Array>;
  close(): void;
}

const POINTS_PER_INCH = 72;
/** A larger page or image is a hostile file, or a plan that must be divided. */
export const MAX_PIXELS = 200_000_000;

/**
 * Returns the pages of a file. Pages of a PDF file are drawn one at a time, when they are needed.
 * @param mayGrow returns whether the program that draws pages may have so many bytes of memory
 */
export async function openPictures(bytes: Uint8Array, mayGrow: (bytes: number) => boolean): Promise<Picture[]> {
  const isPdf = Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
  return isPdf ? pdfPictures(bytes, mayGrow) : [imagePicture(bytes, await sizeOf(bytes))];
}

function imagePicture(bytes: Uint8Array, size: Picture['size']): Picture {
  return {
    size,
    async image() {
      // Its memory cannot be taken, and the engine would decode what others wrote without a limit.
      if (size === undefined) throw new Error(UNREADABLE);
      // The engine would run out of memory while it decodes the image, and report that it got no image.
      if (size.width * size.height > MAX_PIXELS) {
        throw new Error(
          `it has ${size.width}x${size.height} pixels, more than ${MAX_PIXELS}. Divide it, or make it smaller`,
        );
      }
      return bytes;
    },
    close() {},
  };
}

/** Returns the size of an image as it is shown, which may be turned; undefined if it cannot be read. */
async function sizeOf(bytes: Uint8Array): Promise<Picture['size']> {
  const { imageSize } = await import('image-size');
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    return orientation > 4 ? { width: height, height: width } : { width, height };
  } catch {
    return undefined;
  }
}

async function pdfPictures(bytes: Uint8Array, mayGrow: (bytes: number) => boolean): Promise<Picture[]> {
  let wasRefused = false;
  const library = await openPdfium((size) => {
    const may = mayGrow(size);
    wasRefused ||= !may;
    return may;
  });
  const document = await library
    .loadDocument(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    .catch((error) => {
      library.destroy();
      throw error;
    });
  const scale = DOTS_PER_INCH / POINTS_PER_INCH;
  let open = document.getPageCount();
  const close = () => {
    if (--open > 0) return;
    document.destroy();
    library.destroy();
  };
  return Array.from({ length: open }, (_, i) => {
    let page: PDFiumPage | undefined = document.getPage(i);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const size = { width: Math.floor(originalWidth * scale), height: Math.floor(originalHeight * scale) };
    return {
      size,
      async image() {
        if (size.width * size.height > MAX_PIXELS) {
          throw new Error(`page ${i} has ${size.width}x${size.height} pixels, more than ${MAX_PIXELS}`);
        }
        // The library closes a page after it was drawn.
        const drawn = page ?? document.getPage(i);
        page = undefined;
        const { data, width, height } = await drawn.render({ scale, render: 'bitmap', colorSpace: 'Gray' });
        // The library omits what it has no memory for.
        if (wasRefused) throw new Error(`page ${i} needs more memory to draw than other documents leave`);
        return greyImage(data, width, height);
      },
      close,
    };
  });
}

/** Returns grey pixels as an image in the PGM format. */
function greyImage(pixels: Uint8Array, width: number, height: number): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels.subarray(0, width * height)]);
}
