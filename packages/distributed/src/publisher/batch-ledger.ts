import type { Confirmation } from '@headrace/engine';
import type { BatchReport } from '../queue/reports.ts';

/** The reports about one attempt to process a batch. */
interface Attempt {
  worker: BatchReport | undefined;
  readonly parts: Map<number, BatchReport>;
}

/** A batch with unfinished documents. */
interface OpenBatch {
  readonly attempts: Map<string, Attempt>;
  readonly resolve: (confirmation: Confirmation) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The accounting of a distributed run. A batch may be processed several times, because a worker or an indexer was
 * killed. The first attempt that is complete counts, and all later reports about the batch are ignored. So every
 * document counts exactly once.
 */
export class BatchLedger {
  readonly #open = new Map<number, OpenBatch>();
  #next = 0;

  /** The number of batches that are not finished. */
  get size(): number {
    return this.#open.size;
  }

  /** Adds a batch. Returns its number, and a promise of its result. */
  add(): { readonly batch: number; readonly confirmed: Promise<Confirmation> } {
    const batch = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<Confirmation>();
    this.#open.set(batch, { attempts: new Map(), resolve, reject });
    return { batch, confirmed: promise };
  }

  /** Removes a batch that could not be written. */
  remove(batch: number): void {
    this.#open.delete(batch);
  }

  /** Adds a report. Reports may arrive in any order. Returns true if the report finished its batch. */
  report(report: BatchReport): boolean {
    const open = this.#open.get(report.batch);
    if (open === undefined) return false;
    const attempt = open.attempts.getOrInsertComputed(report.attempt, () => ({ worker: undefined, parts: new Map() }));
    if (report.part === undefined) attempt.worker = report;
    else attempt.parts.set(report.part, report);
    const { worker, parts } = attempt;
    if (worker === undefined || parts.size < worker.parts) return false;
    this.#open.delete(report.batch);
    open.resolve(sumOf([worker, ...parts.values()]));
    return true;
  }

  /** Rejects all open batches. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}

/** Adds up several confirmations. */
export function sumOf(confirmations: readonly Confirmation[]): Confirmation {
  let [created, succeeded, failed, dropped] = [0, 0, 0, 0];
  for (const one of confirmations) {
    created += one.created;
    succeeded += one.succeeded;
    failed += one.failed;
    dropped += one.dropped;
  }
  return { created, succeeded, failed, dropped, failures: confirmations.flatMap(({ failures }) => failures) };
}
