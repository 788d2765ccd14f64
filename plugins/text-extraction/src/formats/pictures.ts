import { hash } from 'node:crypto';
import type { Extraction } from '../blocks/blocks.ts';
import type { ExpansionBudget } from './format.ts';

/** The images that OCR reads: how their bytes begin, and their subtype and extension. */
const KINDS: readonly (readonly [start: RegExp, subtype: string, extension: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'png', 'png'],
  [/^\xff\xd8\xff/, 'jpeg', 'jpg'],
  [/^GIF8[79]a/, 'gif', 'gif'],
  [/^BM[\s\S]{12}[\x0c-\x7c]\0\0\0/, 'bmp', 'bmp'],
  [/^(II\*\0|MM\0\*)/, 'tiff', 'tif'],
  [/^RIFF[\s\S]{4}WEBP/, 'webp', 'webp'],
];
const START_BYTES = 18;

/**
 * Adds the pictures that are in a file under no name: each content once, and numbered. The bytes decide about the type.
 * Metafiles and drawings (EMF, WMF, PICT, SVG) are omitted, as in new Office files: OCR does not read them.
 */
export class Pictures {
  readonly #to: Extraction;
  readonly #budget: ExpansionBudget;
  readonly #digests = new Set<string>();

  constructor(to: Extraction, budget: ExpansionBudget) {
    this.#to = to;
    this.#budget = budget;
  }

  /** Whether pictures are wanted. Readers do not look for them otherwise. */
  get wanted(): boolean {
    return this.#to.wantsImages;
  }

  /** Adds a picture. Returns whether OCR reads its type. */
  add(bytes: Buffer): boolean {
    const start = bytes.toString('latin1', 0, START_BYTES);
    const kind = KINDS.find(([known]) => known.test(start));
    if (kind === undefined) return false;
    this.#budget.take(bytes.length);
    const digest = hash('sha256', bytes);
    if (this.#digests.has(digest)) return true;
    this.#digests.add(digest);
    const [, subtype, extension] = kind;
    const name = `image-${this.#digests.size}.${extension}`;
    // A copy, because the bytes may be a small part of the file.
    this.#to.addImage({ name, mediaType: `image/${subtype}`, bytes: Uint8Array.from(bytes) });
    return true;
  }
}
