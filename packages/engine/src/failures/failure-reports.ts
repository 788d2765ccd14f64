import type { MessageGate } from '../transport/message-gate.ts';
import { FailureBudget } from './failure-budget.ts';
import { type FailedDocument, type KeptFailure, MAX_LISTED_FAILURES, MAX_MESSAGE_CHARACTERS } from './kept-failure.ts';

/** The limits of a group. It is posted when it reaches this number of failures or characters, or after this time. */
const GROUP_FAILURES = 100;
const GROUP_CHARACTERS = 256 * 1024;
const GROUP_MILLIS = 100;

/** The number of characters that counts as one log record in transit. It limits reports in transit to 64 MiB. */
const GATE_CHARACTERS = 32 * 1024;

/**
 * Receives a group of failures. Call `MessageGate.leave` with `weight` after the group is received. The promise says
 * whether the group is stored.
 */
export type PostFailures = (failures: KeptFailure[], weight: number) => Promise<boolean>;

/**
 * Reports the failed documents of a run while it runs. Reports them in groups and up to a limit, unless the run keeps
 * all.
 */
export class FailureReports {
  /** The reported failures without their contents. */
  readonly listed: FailedDocument[] = [];
  readonly budget: FailureBudget;
  readonly #post: PostFailures | undefined;
  readonly #gate: MessageGate;
  #kept = 0;
  #omitted = 0;
  #unkept = 0;
  /** Resolves when the answers about all posted groups have arrived. */
  #answered: Promise<void> = Promise.resolve();
  #group: KeptFailure[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param post receives the failures; undefined if the run does not store failed documents
   * @param gate limits the failures in transit
   * @param unlimited true if the run keeps all failed documents
   */
  constructor(post: PostFailures | undefined, gate: MessageGate, unlimited: boolean) {
    this.#post = post;
    this.#gate = gate;
    this.budget = new FailureBudget(undefined, { unlimited });
    if (post === undefined) this.budget.close();
  }

  /** True if no more failures are reported. */
  get full(): boolean {
    return this.#kept >= (this.#post === undefined ? MAX_LISTED_FAILURES : this.budget.maxFailures);
  }

  /** True if the result and the log already contain the maximum number of failures. */
  get listFull(): boolean {
    return this.listed.length >= MAX_LISTED_FAILURES;
  }

  /** The number of failed documents that were not stored because of the limit. 0 if the run does not store them. */
  get notKept(): number {
    return this.#post === undefined ? 0 : this.#omitted;
  }

  /**
   * The number of failed documents that cannot be run again, because nothing keeps them. Complete for all failures so
   * far after `stored`.
   */
  get unkept(): number {
    return this.#unkept;
  }

  /** Resolves when the failures so far are stored, or could not be stored. */
  async stored(): Promise<void> {
    this.flush();
    await this.#answered;
  }

  /** Counts failed documents that are not reported. */
  leaveOut(documents: number): void {
    this.#omitted += documents;
    this.#unkept += documents;
  }

  add(failure: KeptFailure): void {
    const { id, connector, at, status } = failure;
    const short = { ...failure.failure, message: cut(failure.failure.message) };
    if (!this.listFull) {
      this.listed.push({ id, connector, at, failure: short, ...(status === undefined ? {} : { status }) });
    }
    this.#kept++;
    if (this.#post === undefined || !canRunAgain(failure)) this.#unkept++;
    if (this.full) this.budget.close();
    if (this.#post === undefined) return;
    this.#group.push({ ...failure, failure: short });
    this.#characters += short.message.length + charactersOf(failure);
    if (this.full || this.#group.length >= GROUP_FAILURES || this.#characters >= GROUP_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GROUP_MILLIS);
  }

  /** Posts the collected failures. Blocks the thread if failures arrive faster than they are stored. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#group;
    if (group.length === 0) return;
    const weight = 1 + Math.floor(this.#characters / GATE_CHARACTERS);
    this.#group = [];
    this.#characters = 0;
    this.#gate.enter(weight);
    const stored = this.#post?.(group, weight);
    this.#answered = Promise.all([stored, this.#answered]).then(([isStored]) => {
      if (isStored === false) this.#unkept += group.filter(canRunAgain).length;
    });
    this.#gate.wait(() => false);
  }
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`;
}

/**
 * Returns whether a reported failure can be run again: its content is kept, or it is a record that could not be read,
 * whose place in the source is kept.
 */
function canRunAgain({ document, failure }: KeptFailure): boolean {
  return document !== undefined || failure.code === 'HR_RECORD_UNREADABLE';
}

function charactersOf({ document }: KeptFailure): number {
  if (document === undefined) return 0;
  return document.kind === 'input' ? document.json.length : document.text.length;
}
