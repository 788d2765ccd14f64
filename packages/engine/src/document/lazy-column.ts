import type { SourceText } from './source-text.ts';
import type { Value } from './value.ts';

/** The values of one field in all documents of a table. Undefined means that the document does not have the field. */
export type Column = readonly (Value | undefined)[];

/** A column that is made when it is read for the first time. Many fields are never read: a stage removes them, for example. */
export class LazyColumn {
  readonly source: SourceText | undefined;
  #make: (() => Column) | undefined;
  #values: Column | undefined;

  /** @param source a text that contains all values, which then are texts */
  constructor(make: () => Column, source?: SourceText) {
    this.#make = make;
    this.source = source;
  }

  get values(): Column {
    if (this.#values === undefined) {
      this.#values = (this.#make as () => Column)();
      this.#make = undefined;
    }
    return this.#values;
  }
}
