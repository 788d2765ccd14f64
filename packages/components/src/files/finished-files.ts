import type { Publisher } from '@headrace/engine';

/** How many published files, or how much time, there may be between two looks at what has come to its end. */
const FILES_APART = 5000;
const MILLIS_APART = 1000;

/**
 * Collects what was published until all its documents have come to their end: only then may it count as done. What is
 * collected is bounded by what the run has under way.
 */
export class FinishedFiles<T> {
  private readonly publisher: Publisher;
  private readonly done: (files: readonly T[]) => Promise<void>;
  private published: T[] = [];
  private lastLook = performance.now();
  /** Groups, in order; each waits for those before it. */
  private waiting: Promise<void> = Promise.resolve();
  private failure: { readonly error: unknown } | undefined;

  /** @param done is told of files whose documents have all come to their end; what it throws ends the run */
  constructor(publisher: Publisher, done: (files: readonly T[]) => Promise<void>) {
    this.publisher = publisher;
    this.done = done;
  }

  /** A file was handed to the publisher to its end. */
  add(file: T): void {
    if (this.failure !== undefined) throw this.failure.error;
    this.published.push(file);
    if (this.published.length >= FILES_APART || performance.now() - this.lastLook >= MILLIS_APART) this.look();
  }

  /** To be called when the documents of all files have come to their end. */
  async finish(): Promise<void> {
    await this.waiting;
    if (this.failure !== undefined) throw this.failure.error;
    const files = this.published;
    this.published = [];
    if (files.length > 0) await this.done(files);
  }

  private look(): void {
    this.lastLook = performance.now();
    const files = this.published;
    this.published = [];
    const settled = this.publisher.settled();
    // A run that is given up leaves them undone: the next one takes them again.
    settled.catch(() => undefined);
    this.waiting = this.waiting.then(async () => {
      try {
        await settled;
      } catch {
        return;
      }
      try {
        await this.done(files);
      } catch (error) {
        this.failure ??= { error };
      }
    });
  }
}
