import type { RecordNotice } from '../component/connector.ts';
import type { Notices } from '../notices/notice.ts';
import type { NoticeCode } from '../notices/notice-table.ts';

interface Reported {
  /** The position of the record in its batch. */
  readonly at: number;
  readonly code: string;
  readonly details: RecordNotice;
}

/**
 * The notices of the decoders of a batch. A batch is decoded several times if it is processed in several passes. Each
 * notice is counted when its record is finished, because the record is not decoded again after that.
 */
export class RecordNotices {
  readonly #notices: Notices;
  /** The notices of this pass about records that are not finished. */
  #reported: Reported[] = [];
  /** The number of records that earlier passes have finished. */
  #done = 0;

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  /** Call this before the batch is decoded, from its first record on. */
  startPass(done: number): void {
    this.#reported = [];
    this.#done = done;
  }

  /** @param next the position of the next record that the sink receives */
  add(next: number, code: string, { ahead = 0, ...details }: RecordNotice): void {
    const at = next + ahead;
    if (at >= this.#done) this.#reported.push({ at, code, details });
  }

  /** Counts the notices about the records before a position. */
  count(done: number): void {
    if (this.#reported.length === 0) return;
    this.#report(this.#reported.filter(({ at }) => at < done));
    this.#reported = this.#reported.filter(({ at }) => at >= done);
    this.#done = done;
  }

  /** Counts the notices after the last record. Call this when all records are finished. */
  countRest(done: number): void {
    this.count(done);
    this.#report(this.#reported);
    this.#reported = [];
  }

  #report(reported: readonly Reported[]): void {
    // The code was checked when the decoder reported it.
    for (const { code, details } of reported) this.#notices.report(code as NoticeCode, details);
  }
}
