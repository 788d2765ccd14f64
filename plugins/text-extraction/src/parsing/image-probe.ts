import { Extraction, TextLimitReached } from '../blocks/blocks.ts';

/** Readers let this error pass. */
class ImageFound extends TextLimitReached {}

/** Ends the reading at the first image. */
class ImageProbe extends Extraction {
  constructor() {
    super(Number.POSITIVE_INFINITY, true);
  }

  override add(): void {}

  override seeDrawing(): void {
    throw new ImageFound();
  }

  override addImage(): void {
    throw new ImageFound();
  }
}

/** Returns whether a file has an image. Reads it again: files with text never need this. */
export async function hasImages(read: (to: Extraction) => Promise<void>): Promise<boolean> {
  const probe = new ImageProbe();
  try {
    await read(probe);
  } catch (error) {
    return error instanceof ImageFound;
  }
  return false;
}
