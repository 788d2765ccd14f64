import type { ByteSource } from './byte-source.ts';

/** The pieces of a source up to its end or its first error. */
export class UntilFailure {
  readonly #source: ByteSource;
  #failure: { readonly error: unknown } | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async *pieces(): ByteSource {
    try {
      yield* this.#source;
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** Throws the error of the source, if there was one. */
  throwIfAny(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
