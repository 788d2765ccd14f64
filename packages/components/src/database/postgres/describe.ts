import type pg from 'pg';

/** Asks which columns a query gives, without running it. Handed to `client.query`. */
export class Describe implements pg.Submittable {
  /** The columns; undefined for a statement that gives no rows. Rejects with what the server says of the statement. */
  readonly done: Promise<readonly pg.FieldDef[] | undefined>;
  readonly #text: string;
  #fields: readonly pg.FieldDef[] | undefined;
  #resolve!: (fields: readonly pg.FieldDef[] | undefined) => void;
  #reject!: (error: unknown) => void;

  constructor(text: string) {
    this.#text = text;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#fields = fields;
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#fields);
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }
}
