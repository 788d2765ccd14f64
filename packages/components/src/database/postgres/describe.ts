import type pg from 'pg';

/** Requests the columns of a query without running it. Pass it to `client.query`. */
export class Describe implements pg.Submittable {
  /**
   * Resolves to the columns, or to undefined for a statement that returns no rows. Rejects with the error of the
   * server.
   */
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
