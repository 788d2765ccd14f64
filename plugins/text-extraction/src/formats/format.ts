import type { Extraction } from '../blocks/blocks.ts';

/** How dates of spreadsheets are written: as the file shows them, or as 2024-04-03 and 15:30:00. */
export type DateStyle = 'format' | 'iso';

/** What happens to hidden rows, columns, sheets, slides, shapes and texts. */
export type HiddenParts = 'include' | 'mark' | 'omit';

/** What the config says about the reading of all files. */
export interface ReadOptions {
  readonly dates: DateStyle;
  readonly hidden: HiddenParts;
  /** Tried in this order for encrypted files. */
  readonly passwords: readonly string[];
}

/** What a reader knows about a file. */
export interface FileInput {
  readonly bytes: Uint8Array;
  /** The file name, if it is known. */
  readonly name: string | undefined;
  /** The character encoding, if the source named one. */
  readonly charset?: string | undefined;
  readonly options: ReadOptions;
  /** How many archives contain the file. */
  readonly depth: number;
  /** How many bytes archives and compressed parts may still expand to. */
  readonly budget: ExpansionBudget;
  /** Reads a file inside this file, such as an attachment, into the same text. */
  readInner(bytes: Uint8Array, name: string | undefined, to: Extraction): Promise<void>;
}

/** Limits what archives expand to, so that a small file cannot fill the memory. */
export class ExpansionBudget {
  #left: number;
  readonly #limit: number;

  constructor(bytes: number) {
    this.#left = bytes;
    this.#limit = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /** Throws if the file would expand to more bytes than allowed. */
  check(bytes: number): void {
    if (bytes > this.#left) this.take(bytes);
  }

  /** Throws if the file has expanded to more bytes than allowed. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new Error(`it expands to more than ${this.#limit} bytes`);
  }
}

/** Reads a file of one format into an extraction. Throws an error that says what is wrong with the file. */
export type FormatReader = (input: FileInput, to: Extraction) => void | Promise<void>;

/** The error for a file that needs a password. */
export class EncryptedFile extends Error {
  /** @param tried the passwords that do not open it */
  constructor(tried: readonly string[]) {
    super(tried.length === 0 ? 'it is encrypted' : 'it is encrypted, and none of the passwords opens it');
  }
}
