import type { Publisher } from '@headrace/engine';
import { unreadReason } from '../publishing/unread.ts';

/**
 * The size of a group of published files, and the maximum wait. After a crash, a run repeats at most the open groups.
 */
const GROUP_FILES = 128;
const GROUP_MILLIS = 100;

/**
 * Collects published files until all their documents have finished. Only then a file counts as done, and only if all
 * documents of its group count as read. The limit of open documents of the run also limits this collection.
 */
export class FinishedFiles<T> {
  readonly #publisher: Publisher;
  readonly #done: (files: readonly T[]) => Promise<void>;
  #published: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The groups in order; each group waits for the groups before it. */
  #waiting: Promise<void> = Promise.resolve();
  /** Files that count as done when the output of the run is complete. */
  readonly #held: T[] = [];
  #unread: string | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @param done called with files whose documents have all finished; if it throws, the run ends with that error */
  constructor(publisher: Publisher, done: (files: readonly T[]) => Promise<void>) {
    this.#publisher = publisher;
    this.#done = done;
  }

  /** Adds a file that was passed to the publisher completely. */
  add(file: T): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#published.push(file);
    if (this.#published.length >= GROUP_FILES) this.#look();
    else this.#timer ??= setTimeout(() => this.#look(), GROUP_MILLIS);
  }

  /**
   * Waits for the remaining groups. Call it when the documents of all files have finished. Returns why some files are
   * left for the next run, or undefined if none are.
   */
  async finish(): Promise<string | undefined> {
    this.#look();
    await this.#waiting;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#held.length > 0) await this.#done(this.#held);
    return this.#unread;
  }

  /** Drops the unfinished files: the next run reads them again. Resolves when no work is in progress. */
  async abandon(): Promise<void> {
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
    // If the run is cancelled or documents do not count as read, the files stay unfinished: the next run reads them again.
    settled.catch(() => undefined);
    this.#waiting = this.#waiting.then(async () => {
      try {
        await settled;
      } catch (error) {
        this.#unread ??= unreadReason(error);
        return;
      }
      try {
        if (this.#publisher.readAtEnd === true) this.#held.push(...files);
        else if (files.length > 0) await this.#done(files);
      } catch (error) {
        this.#failure ??= { error };
      }
    });
  }
}
