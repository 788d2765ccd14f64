/** A name in a text. */
export interface Entity {
  /** The text of the name. */
  readonly name: string;
  /** The position of the name in the text: of its first character, and after its last one. */
  readonly start: number;
  readonly end: number;
  /** The probability, if the engine knows it. */
  readonly score?: number;
}

/** Finds names in texts. */
export interface EntityEngine {
  /** Returns the names of the texts of a document, for each field and each text. */
  find(texts: readonly string[]): Map<string, Entity[][]> | Promise<Map<string, Entity[][]>>;
  /** Releases the memory of the models. */
  close?(): Promise<void>;
}
