import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexFailure } from '../component/indexer.ts';
import { contractError, kindOf } from '../errors/contract-error.ts';
import { counted } from '../errors/counted.ts';
import type { RequestSize } from './request-size.ts';
import { NO_ANSWER, type Retries } from './retries.ts';
import { isTransient } from './transient-status.ts';

/** Why documents or a whole request were not accepted. */
export interface DeliveryFailure {
  /** The status of the response; `NO_ANSWER` if there was no response. */
  readonly status: number;
  readonly message: string;
  /** The wait that the server requests before the next attempt, in milliseconds. */
  readonly retryAfter?: number;
  /** Whether a retry may succeed; undefined: the status decides. */
  readonly retryable?: boolean;
  /** Whether the failure applied to the whole request of the document. */
  readonly whole?: true;
  /** Whether the document is not the cause; undefined: the status decides. */
  readonly undelivered?: true;
}

/**
 * The result of a request: it was refused as a whole, or some documents failed, by their position in the request (from
 * 0). A document that is not among the items was accepted.
 */
export type Reply = { readonly refused: DeliveryFailure } | { readonly items: ReadonlyMap<number, DeliveryFailure> };

/** The destination of the documents of a batch. */
export interface Destination {
  /** Sends documents in one request. The positions in the batch are in ascending order. */
  request(positions: readonly number[]): Promise<Reply>;
  /** Returns the number of bytes of a document in a request. */
  length(position: number): number;
  /** Returns a key that is equal for two versions of one document. */
  key(position: number): string;
  /** Whether a version changes only a part of a document: then a later version does not replace an earlier one. */
  readonly partial: boolean;
  /** Returns the number by which the destination compares versions. If undefined, the later version is newer. */
  version?(position: number): bigint | undefined;
  /** False if the statuses are not HTTP statuses. */
  readonly http?: false;
  /** Returns whether one bad document may make the server reject a whole request with this status. */
  isolates(status: number): boolean;
}

/** Documents to send, and the reason of their last failure. */
interface Job {
  readonly positions: readonly number[];
  /** The number of times that they were sent. */
  readonly attempts: number;
  /** The wait before sending, in milliseconds. */
  readonly wait: number;
  readonly reason?: DeliveryFailure;
}

interface Failed {
  readonly position: number;
  readonly refusal: DeliveryFailure;
}

/** The statuses of requests that are rejected because of their content. */
const FAULTS_OF_CONTENT: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/**
 * Delivers the documents of a batch to a server, and reports the result of each:
 *
 * - Documents that may succeed later are sent again, without the others, up to the number of retries.
 * - A request that is too large is split. For an overloaded server, requests are smaller for a time.
 * - A request that was refused because of one document is halved until that document is alone. No document fails
 *   because of another one.
 * - The versions of a document are sent in order: an earlier version is never sent after a later one.
 */
export class Delivery {
  readonly #retries: Retries;
  readonly #size: RequestSize;
  /**
   * Whether the destination rejected every document of the last batch that was split. Then documents are sent one at a
   * time until one is accepted, because that needs half as many requests as more halving.
   */
  #hopeless = false;

  constructor(retries: Retries, size: RequestSize) {
    this.#retries = retries;
    this.#size = size;
  }

  /**
   * Resolves when each document was accepted or has failed. Returns the failed documents.
   * @param signal aborted when no more requests may be sent
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
      const reply = checked(await to.request(job.positions), job.positions.length);
      this.#reportRetries(job, reply);
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

  /** Splits a job into the documents that fit in one request, and the rest, which is sent afterwards. */
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
    if (!(bytes >= 0)) {
      throw contractError(
        `length() of a destination returned ${String(to.length(positions[0] ?? 0))}, not the number of bytes of a document`,
      );
    }
    if (count === positions.length) return { now: job };
    return {
      now: { ...job, positions: positions.slice(0, count) },
      later: { ...job, positions: positions.slice(count), wait: 0 },
    };
  }

  /** Reads the result of each document of a job. Returns the documents to send again. */
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
      const known = newest.get(keyOf(position, to));
      return known === undefined || isNewer(position, known, to);
    };
    job.positions.forEach((position, i) => {
      if (!items.has(i) && isNewest(position)) newest.set(keyOf(position, to), position);
    });
    // A newer version that was accepted has replaced the failed older version: a retry would undo that.
    const needed = again.filter(isNewest);
    return needed.length === 0 ? undefined : this.#retry(job, needed, reason);
  }

  /** Reports to the retries whether the destination accepts documents. If it accepts none, the reason is logged. */
  #reportRetries(job: Job, reply: Reply): void {
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

  /** Returns whether a failure is not the fault of the document. */
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

const GIVEN_UP: DeliveryFailure = { status: NO_ANSWER, message: 'The run was cancelled before the document was sent' };

/** Throws `HR_COMPONENT_CONTRACT` for a reply that does not say which documents of a request failed. */
function checked(reply: Reply, count: number): Reply {
  const { refused, items } = (reply ?? {}) as {
    refused?: DeliveryFailure;
    items?: ReadonlyMap<number, DeliveryFailure>;
  };
  if (refused !== undefined ? typeof refused.status === 'number' : items instanceof Map && areFailures(items, count)) {
    return reply;
  }
  throw contractError(
    `The destination does not say which of ${counted(count, 'document')} of a request failed`,
    'Return { refused: { status, message } }, or { items } with a Map from positions in the request to failures.',
  );
}

function areFailures(items: ReadonlyMap<number, DeliveryFailure>, count: number): boolean {
  for (const [position, failure] of items) {
    if (!Number.isInteger(position) || position < 0 || position >= count) return false;
    if (typeof failure?.status !== 'number') return false;
  }
  return true;
}

function failAll({ positions }: Job, refused: DeliveryFailure, failed: Failed[]): void {
  const refusal: DeliveryFailure = { ...refused, whole: true };
  for (const position of positions) failed.push({ position, refusal });
}

/** Returns whether a version of a document would replace another version if both were accepted. */
function isNewer(position: number, other: number, to: Destination): boolean {
  const [version, otherVersion] = [to.version?.(position), to.version?.(other)];
  if (version === undefined || otherVersion === undefined || version === otherVersion) return position > other;
  if (typeof version !== 'bigint' || typeof otherVersion !== 'bigint') {
    const wrong = typeof version === 'bigint' ? otherVersion : version;
    throw contractError(`version() of a destination returned ${kindOf(wrong)}, not a bigint`);
  }
  return version > otherVersion;
}

/** Returns the key of a document. Throws if it is not one: a failed document would pass for an older version of another. */
function keyOf(position: number, to: Destination): string {
  const key: unknown = to.key(position);
  if (typeof key === 'string') return key;
  throw contractError(`key() of a destination returned ${kindOf(key)}, not a text`);
}

function bytesOf({ positions }: Job, to: Destination): number {
  return positions.reduce((bytes, position) => bytes + to.length(position), 0);
}

/** Waits. Returns false if the work must not continue. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    if (milliseconds > 0) await sleep(milliseconds, undefined, { signal });
    return !signal.aborted;
  } catch {
    // Only the signal can end the wait early.
    return false;
  }
}
