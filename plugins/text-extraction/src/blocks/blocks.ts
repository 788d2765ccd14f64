import { cleanText } from './clean-text.ts';
import type { TextNotice, TextNoticeCode } from './text-notice.ts';

/** A part of a document, in reading order. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  /** The name of a file inside the file. */
  | { readonly kind: 'name'; readonly text: string }
  /** An item of a list. The depth counts from 0. */
  | { readonly kind: 'item'; readonly depth: number; readonly ordered: boolean; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  /** Text whose line ends matter. Code is marked in Markdown. */
  | { readonly kind: 'lines'; readonly text: string; readonly code?: true }
  /** The start of a page, slide or sheet. The number counts from 1. */
  | { readonly kind: 'page'; readonly number: number; readonly name?: string };

/** An image inside a file. */
export interface EmbeddedImage {
  /** The name in the file, or a number. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** The page of the image, from 1, if the format has pages. */
  readonly page?: number;
}

/** Thrown when the text has reached the limit. The text up to the limit is kept. */
export class TextLimitReached extends Error {}

/** A hostile file could have millions. */
const MOST_METADATA = 1000;

/** Collects what a reader finds in a file. */
export class Extraction {
  readonly blocks: Block[] = [];
  readonly images: EmbeddedImage[] = [];
  /** The metadata under the names of Apache Tika. */
  readonly metadata = new Map<string, string[]>();
  readonly #notices = new Map<TextNoticeCode, TextNotice>();
  readonly #maxCharacters: number;
  readonly #withImages: boolean;
  #characters = 0;

  constructor(maxCharacters: number, withImages: boolean) {
    this.#maxCharacters = maxCharacters;
    this.#withImages = withImages;
  }

  /** Whether images are wanted. Readers do not decode them otherwise. */
  get wantsImages(): boolean {
    return this.#withImages;
  }

  get notices(): readonly TextNotice[] {
    return [...this.#notices.values()];
  }

  /** Whether there is a text. Marks of pages, and the names of sheets and of inner files, are none. */
  get hasText(): boolean {
    return this.blocks.some(({ kind }) => kind !== 'page' && kind !== 'name');
  }

  /** Reports what is missing in the text, or was changed. */
  notice(code: TextNoticeCode, example: string, count = 1): void {
    const known = this.#notices.get(code);
    this.#notices.set(code, { code, count: (known?.count ?? 0) + count, example: known?.example ?? example });
  }

  /** Adds a block. Blocks without text are omitted, except pages. */
  add(added: Block): void {
    const block = this.#cleaned(added);
    if (block.kind === 'table') {
      if (block.rows.every((row) => row.every((cell) => cell.trim() === ''))) return;
      this.#count(block.rows.reduce((sum, row) => sum + row.reduce((cells, cell) => cells + cell.length + 1, 0), 0));
    } else if (block.kind !== 'page') {
      if (block.text.trim() === '') return;
      this.#count(block.text.length + 1);
    }
    this.blocks.push(block);
    if (this.#characters > this.#maxCharacters) throw new TextLimitReached();
  }

  /** Called for a drawing that is no image of a known type, but may show text. */
  seeDrawing(): void {}

  addImage(image: EmbeddedImage): void {
    if (this.#withImages && image.bytes.length > 0) this.images.push(image);
  }

  /** Adds a value of a metadata field. Empty values are omitted, and those after the first 1000 of a field. */
  describe(name: string, value: string | number | undefined | null): void {
    const text = value === undefined || value === null ? '' : this.#clean(String(value), name).trim();
    if (text === '') return;
    const known = this.metadata.get(name);
    if (known === undefined) {
      if (this.metadata.size < MOST_METADATA) this.metadata.set(name, [text]);
    } else if (known.length < MOST_METADATA && !known.includes(text)) known.push(text);
  }

  #cleaned(block: Block): Block {
    if (block.kind === 'page') return block.name === undefined ? block : { ...block, name: this.#clean(block.name) };
    if (block.kind !== 'table') return { ...block, text: this.#clean(block.text) };
    return { ...block, rows: block.rows.map((row) => row.map((cell) => this.#clean(cell))) };
  }

  #clean(text: string, where = 'the text'): string {
    return cleanText(text, (characters) => {
      const codes = characters
        .slice(0, 3)
        .map((one) => `U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
      this.notice('text.controls', `${[...new Set(codes)].join(', ')} in ${where}`, characters.length);
    });
  }

  #count(characters: number): void {
    this.#characters += characters;
  }
}
