import { type BatchBytes, type Journal, type Logger, messageOf, type WriterPass } from '@headrace/engine';
import type { HttpResponse } from '../http/http-client.ts';
import { type Change, ChangeJournal } from '../reindexing/change-journal.ts';
import { splitActionLine } from './action-line.ts';
import { parse } from './bulk-reply.ts';

/** What a bulk response must also contain while changes are recorded. */
export const RECORDED_FILTER = ',items.*._index,items.*._seq_no';

/** A response with another status says that nothing was written. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 429]);
/** A document that failed with another status may have taken a number: the search engine then has a write without effect. */
const WITHOUT_NUMBER: ReadonlySet<number> = new Set([401, 403, 404, 409, 429, 503]);

interface RecordedItem {
  readonly status?: number;
  readonly result?: string;
  readonly error?: unknown;
  /** The index itself, even if the request names an alias or a pipeline has changed it. */
  readonly _index?: string;
  /** The number of the write in its shard. */
  readonly _seq_no?: number;
}

/** Records the acknowledged changes of a run in the journals of open rebuilds, before their outcomes are known to the run. */
export class WriteRecorder {
  readonly #pass: WriterPass;
  readonly #log: Logger;
  readonly #open = new Map<string, ChangeJournal>();
  readonly #broken = new Set<string>();

  constructor(pass: WriterPass, log: Logger) {
    this.#pass = pass;
    this.#log = log;
  }

  /**
   * Sends a bulk request with some documents of a batch, and records what it has changed.
   * @param send sends it. Its parameter is what the filter of the response needs in addition. It returns its own result
   *   and the response, if there was one
   */
  async request<R>(
    bytes: BatchBytes,
    positions: readonly number[],
    signal: AbortSignal,
    send: (filter: string) => Promise<{ readonly reply: R; readonly response: HttpResponse | undefined }>,
  ): Promise<R> {
    const journals = await this.#pass.enter(positions.length, signal);
    let unknown = positions.length;
    try {
      const { reply, response } = await send(journals.length === 0 ? '' : RECORDED_FILTER);
      if (response !== undefined) unknown = this.#record(journals, response, bytes, positions);
      return reply;
    } finally {
      this.#pass.leave(positions.length, unknown);
    }
  }

  close(): void {
    this.#forget([]);
    this.#pass.close();
  }

  /** Returns how many documents may have been changed without a known outcome. */
  #record(
    journals: readonly Journal[],
    response: HttpResponse,
    bytes: BatchBytes,
    positions: readonly number[],
  ): number {
    this.#forget(journals);
    if (REFUSED.has(response.status)) return 0;
    if (journals.length === 0 && response.status < 300) return 0;
    const { items } = (parse(response) ?? {}) as { items?: readonly Record<string, RecordedItem>[] };
    if (!Array.isArray(items) || items.length !== positions.length) return positions.length;
    let unknown = 0;
    const changes = new Map<string, Change[]>();
    positions.forEach((position, i) => {
      const [[action, item] = ['', {} as RecordedItem]] = Object.entries(items[i] ?? {}) as [string, RecordedItem][];
      const { _index: index = '', _seq_no: order = -1, status = 0, result, error } = item;
      if (error !== undefined && !WITHOUT_NUMBER.has(status)) unknown++;
      if (error !== undefined || order < 0) return;
      const { document } = splitActionLine(bytes.firstLine(position));
      const change: Change = {
        document,
        order,
        replaces: action !== 'update',
        counts: result !== 'noop',
        content: bytes.document(position),
      };
      changes.getOrInsertComputed(index, () => []).push(change);
    });
    for (const journal of journals) {
      this.#append(
        journal,
        journal.live.flatMap((index) => changes.get(index) ?? []),
      );
    }
    return unknown;
  }

  /** If it cannot be recorded, the rebuild fails, and not this run. */
  #append(journal: Journal, changes: readonly Change[]): void {
    const { path } = journal;
    if (changes.length === 0 || this.#broken.has(path)) return;
    try {
      this.#open.getOrInsertComputed(path, () => ChangeJournal.open(path)).append(changes);
    } catch (error) {
      this.#broken.add(path);
      this.#pass.broken(journal, messageOf(error));
      this.#log.warn(`The changes of this run cannot be recorded for a rebuild, which will fail: ${messageOf(error)}`);
    }
  }

  /** Closes the journals of rebuilds that have ended. */
  #forget(journals: readonly Journal[]): void {
    for (const [path, journal] of this.#open) {
      if (journals.some((one) => one.path === path)) continue;
      journal.close();
      this.#open.delete(path);
    }
  }
}
