import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexFailure } from '@headrace/engine';
import { isTransient } from '../http/retry.ts';
import type { RequestSize } from './request-size.ts';
import { NO_ANSWER, type Retries } from './retries.ts';

/** Why documents, or a whole request, were not taken. */
export interface DeliveryFailure {
  /** `NO_ANSWER` if there is none. */
  readonly status: number;
  readonly message: string;
  /** Milliseconds that the server asks for before the next attempt. */
  readonly retryAfter?: number;
  /** Whether it may succeed later, if the status does not say. */
  readonly retryable?: boolean;
  /** Whether the document had a separate request, which was refused as a whole. */
  readonly whole?: true;
  /** Whether it says nothing of the document, if the status does not say. */
  readonly undelivered?: true;
}

/** What became of a request: it was refused as a whole, or these of its documents were, by their place in it. */
export type Reply = { readonly refused: DeliveryFailure } | { readonly items: ReadonlyMap<number, DeliveryFailure> };

/** Where documents of a batch are sent to. */
export interface Destination {
  /** Sends documents in one request; they are named by their positions in the batch, which ascend. */
  request(positions: readonly number[]): Promise<Reply>;
  /** How many bytes a document takes in a request. */
  length(position: number): number;
  /** Equal for two versions of one document. */
  key(position: number): string;
  /** Whether a version changes only a part of a document, so that a later one does not make it needless. */
  readonly partial: boolean;
  /** The number by which the destination decides which version is newer. Without it, the later version is newer. */
  version?(position: number): bigint | undefined;
  /** False when a status is none of HTTP's. */
  readonly http?: false;
  /** Whether one bad document may make the server refuse a request with this status, and others with it. */
  isolates(status: number): boolean;
}

/** Documents that must be sent, and what was said when they were sent before. */
interface Job {
  readonly positions: readonly number[];
  /** How often they were sent. */
  readonly attempts: number;
  /** Milliseconds to wait first. */
  readonly wait: number;
  readonly reason?: DeliveryFailure;
}

interface Failed {
  readonly position: number;
  readonly refusal: DeliveryFailure;
}

/** Statuses of requests that are refused for what is in them. */
const FAULTS_OF_CONTENT: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/**
 * Brings the documents of a batch to a server, and reports the result of each:
 *
 * - what may succeed later is sent again, alone, as often as the retries say;
 * - a request that is too large is sent in smaller ones, and so is, for a time, what goes to a server that has too
 *   much to do;
 * - a request that was refused because of one document is halved until that is alone: none fails for another one;
 * - two versions of a document are never changed in their order, and an earlier one is never sent after a later one.
 */
export class Delivery {
  readonly #retries: Retries;
  readonly #size: RequestSize;
  /**
   * Whether all documents of the last batch that was searched for bad documents were bad. Documents go one by one then, which
   * takes half as many requests as halves do, until one is taken.
   */
  #hopeless = false;

  constructor(retries: Retries, size: RequestSize) {
    this.#retries = retries;
    this.#size = size;
  }

  /**
   * Resolves when each of the documents has been taken or has failed; returns those that failed.
   * @param signal aborted when no more requests may be made
   */
  async deliver(positions: readonly number[], to: Destination, signal: AbortSignal): Promise<IndexFailure[]> {
    const failed: Failed[] = [];
    const open: Job[] = [{ positions, attempts: 0, wait: 0 }];
    let isolating = false;
    for (let whole = open.pop(); whole !== undefined; whole = open.pop()) {
      const { now: job, later } = this.#fitting(whole, to);
      if (later !== undefined) open.push(later);
      if (!(await pause(job.wait, signal))) {
        failAll(job, job.reason ?? GIVEN_UP, failed);
        continue;
      }
      const reply = await to.request(job.positions);
      this.#tellRetries(job, reply);
      this.#hopeless &&= 'refused' in reply && to.isolates(reply.refused.status);
      if ('items' in reply) {
        const again = this.#readItems(job, reply.items, to, failed);
        if (again !== undefined) open.push(again);
        continue;
      }
      const { refused } = reply;
      const several = job.positions.length > 1;
      if (refused.status === 413 && several) {
        this.#size.tooLarge(bytesOf(job, to));
        open.push({ ...job, wait: 0 });
      } else if (this.#mayRetry(refused, job)) {
        if (refused.status === 429) this.#size.overloaded(bytesOf(job, to));
        open.push(this.#retry(job, job.positions, refused));
      } else if (several && to.isolates(refused.status)) {
        isolating = true;
        const middle = job.positions.length >> 1;
        open.push({ ...job, wait: 0, positions: job.positions.slice(middle) });
        open.push({ ...job, wait: 0, positions: job.positions.slice(0, middle) });
      } else failAll(job, refused, failed);
    }
    const noneTaken = failed.length === positions.length;
    this.#hopeless ||= isolating && noneTaken;
    return failed.map((one) => this.#failureOf(one, to, noneTaken));
  }

  /** What of a job fits into one request, and the rest, which follows it. */
  #fitting(job: Job, to: Destination): { now: Job; later?: Job } {
    const { positions } = job;
    const keys = to.partial ? new Set<string>() : undefined;
    let bytes = 0;
    let count = 0;
    for (const position of positions) {
      bytes += to.length(position);
      if (count > 0 && (this.#hopeless || bytes > this.#size.bytes)) break;
      const key = keys === undefined ? undefined : to.key(position);
      if (key !== undefined && keys?.has(key)) break;
      if (key !== undefined) keys?.add(key);
      count++;
    }
    if (count === positions.length) return { now: job };
    return {
      now: { ...job, positions: positions.slice(0, count) },
      later: { ...job, positions: positions.slice(count), wait: 0 },
    };
  }

  /** Reads the result of each document of a job; returns what must be sent again. */
  #readItems(
    job: Job,
    items: ReadonlyMap<number, DeliveryFailure>,
    to: Destination,
    failed: Failed[],
  ): Job | undefined {
    const again: number[] = [];
    let reason: DeliveryFailure | undefined;
    for (const [i, refusal] of items) {
      const position = job.positions[i] as number;
      if (!this.#mayRetry(refusal, job)) failed.push({ position, refusal });
      else {
        again.push(position);
        if (reason === undefined || refusal.status === 429) reason = refusal;
      }
    }
    if (reason?.status === 429) this.#size.overloaded(bytesOf(job, to));
    else this.#size.taken();
    if (reason === undefined) return undefined;
    const newest = new Map<string, number>();
    const isNewest = (position: number) => {
      const known = newest.get(to.key(position));
      return known === undefined || isNewer(position, known, to);
    };
    job.positions.forEach((position, i) => {
      if (!items.has(i) && isNewest(position)) newest.set(to.key(position), position);
    });
    // A newer version that was taken replaces an older one that was not: sending that now would undo it.
    const needed = again.filter(isNewest);
    return needed.length === 0 ? undefined : this.#retry(job, needed, reason);
  }

  /** Whether the destination accepts documents. If it accepts none but may do so later, the reason is logged. */
  #tellRetries(job: Job, reply: Reply): void {
    const { positions } = job;
    if ('refused' in reply) {
      if (this.#mayRetry(reply.refused, job)) this.#retries.hindered?.(reply.refused);
      return;
    }
    const [first] = reply.items.values();
    const refusals = [...reply.items.values()];
    if (first === undefined || refusals.length < positions.length) this.#retries.taken?.();
    else if (refusals.every((refusal) => this.#mayRetry(refusal, job))) this.#retries.hindered?.(first);
  }

  #mayRetry({ status, retryable }: DeliveryFailure, { attempts }: Job): boolean {
    return attempts < this.#retries.most && (retryable ?? this.#retries.isRetryable(status));
  }

  #failureOf({ position, refusal }: Failed, to: Destination, noneTaken: boolean): IndexFailure {
    const { status, message } = refusal;
    return {
      index: position,
      message,
      ...(to.http !== false && status !== NO_ANSWER ? { status } : {}),
      ...(this.#isUndelivered(refusal, to, noneTaken) ? { undelivered: true } : {}),
    };
  }

  /** Whether a refusal says nothing of the document. */
  #isUndelivered(
    { status, retryable, whole, undelivered }: DeliveryFailure,
    to: Destination,
    noneTaken: boolean,
  ): boolean {
    if (undelivered === true) return true;
    if (retryable ?? (status === NO_ANSWER || isTransient(status) || this.#retries.isRetryable(status))) return true;
    return whole === true && !FAULTS_OF_CONTENT.has(status) && (noneTaken || !to.isolates(status));
  }

  #retry({ attempts }: Job, positions: readonly number[], reason: DeliveryFailure): Job {
    const wait = this.#retries.delay(attempts + 1, reason.retryAfter);
    this.#retries.retried?.(positions.length);
    return { positions, attempts: attempts + 1, wait, reason };
  }
}

const GIVEN_UP: DeliveryFailure = { status: NO_ANSWER, message: 'The run was given up before the document was sent' };

function failAll({ positions }: Job, refused: DeliveryFailure, failed: Failed[]): void {
  const refusal: DeliveryFailure = { ...refused, whole: true };
  for (const position of positions) failed.push({ position, refusal });
}

/** Whether one version of a document replaces another one, had both been taken. */
function isNewer(position: number, other: number, to: Destination): boolean {
  const [version, otherVersion] = [to.version?.(position), to.version?.(other)];
  if (version === undefined || otherVersion === undefined || version === otherVersion) return position > other;
  return version > otherVersion;
}

function bytesOf({ positions }: Job, to: Destination): number {
  return positions.reduce((bytes, position) => bytes + to.length(position), 0);
}

/** Waits; returns whether the work may continue. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    if (milliseconds > 0) await sleep(milliseconds, undefined, { signal });
    return !signal.aborted;
  } catch {
    // Nothing but the signal ends the wait early.
    return false;
  }
}
