import type { Publisher } from '@headrace/engine';

/** How many published files wait together, and how long one waits for others at most: so much a killed run repeats. */
const GROUP_FILES = 128;
const GROUP_MILLIS = 100;

/**
 * Collects what was published until all its documents have finished. Only then may it count as done, and not if the
 * destination accepted none of them. The open documents of the run limit the size of the collection.
 */
export class FinishedFiles<T> {
  readonly #publisher: Publisher;
  readonly #done: (files: readonly T[]) => Promise<void>;
  #published: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Groups, in order; each waits for those before it. */
  #waiting: Promise<void> = Promise.resolve();
  #delivered = true;
  #failure: { readonly error: unknown } | undefined;

  /** @param done called with files whose documents have all finished; an error that it throws ends the run */
  constructor(publisher: Publisher, done: (files: readonly T[]) => Promise<void>) {
    this.#publisher = publisher;
    this.#done = done;
  }

  /** A file was handed to the publisher to its end. */
  add(file: T): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#published.push(file);
    if (this.#published.length >= GROUP_FILES) this.#look();
    else this.#timer ??= setTimeout(() => this.#look(), GROUP_MILLIS);
  }

  /** Call it when the documents of all files have finished. Returns whether all were delivered. */
  async finish(): Promise<boolean> {
    this.#look();
    await this.#waiting;
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#delivered;
  }

  /** Leaves unfinished files undone: the next run reads them again. Resolves when nothing is in progress. */
  async giveUp(): Promise<void> {
    this.#stop();
    this.#published = [];
    await this.#waiting;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    this.#stop();
    const files = this.#published;
    this.#published = [];
    const settled = this.#publisher.settled();
    // A run that is given up, or could not deliver them, leaves them undone: the next one takes them again.
    settled.catch(() => undefined);
    this.#waiting = this.#waiting.then(async () => {
      try {
        await settled;
      } catch (error) {
        if ((error as { code?: string }).code === 'HR_INDEXER_UNDELIVERED') this.#delivered = false;
        return;
      }
      try {
        if (files.length > 0) await this.#done(files);
      } catch (error) {
        this.#failure ??= { error };
      }
    });
  }
}
