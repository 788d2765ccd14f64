import type { MessageGate } from '../transport/message-gate.ts';
import { FailureBudget } from './failure-budget.ts';
import { type FailedDocument, type KeptFailure, MAX_KEPT_FAILURES, MAX_MESSAGE_CHARACTERS } from './kept-failure.ts';

/** A group is posted with this many failures, at about this many characters, or after this long. */
const GROUP_FAILURES = 100;
const GROUP_CHARACTERS = 256 * 1024;
const GROUP_MILLIS = 100;

/** The number of characters that counts as one log record in transit. Reports in transit take at most 64 MiB. */
const GATE_CHARACTERS = 32 * 1024;

/** Receives a group; call `MessageGate.leave` with `weight` after it is stored. */
export type PostFailures = (failures: KeptFailure[], weight: number) => void;

/** Reports the failed documents of a run during the run: in groups, and up to a limit unless all are wanted. */
export class FailureReports {
  /** The reported failures, without their contents. */
  readonly listed: FailedDocument[] = [];
  readonly budget: FailureBudget;
  readonly #post: PostFailures | undefined;
  readonly #gate: MessageGate;
  #kept = 0;
  #leftOut = 0;
  #group: KeptFailure[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param post undefined if the run does not store failed documents
   * @param gate limits what is posted
   * @param unlimited whether all failed documents are wanted
   */
  constructor(post: PostFailures | undefined, gate: MessageGate, unlimited: boolean) {
    this.#post = post;
    this.#gate = gate;
    this.budget = new FailureBudget(undefined, { unlimited });
    if (post === undefined) this.budget.close();
  }

  /** Whether no more failures are taken. */
  get full(): boolean {
    return this.#kept >= (this.#post === undefined ? MAX_KEPT_FAILURES : this.budget.maxFailures);
  }

  /** Whether the result and the log already have as many failures as they list. */
  get listFull(): boolean {
    return this.listed.length >= MAX_KEPT_FAILURES;
  }

  /** How many failed documents were not stored because of the limit; 0 if the run does not store them. */
  get notKept(): number {
    return this.#post === undefined ? 0 : this.#leftOut;
  }

  /** Counts documents that failed and are not reported. */
  leaveOut(documents: number): void {
    this.#leftOut += documents;
  }

  add(failure: KeptFailure): void {
    const { id, connector, at, status } = failure;
    const short = { ...failure.failure, message: cut(failure.failure.message) };
    if (!this.listFull) {
      this.listed.push({ id, connector, at, failure: short, ...(status === undefined ? {} : { status }) });
    }
    this.#kept++;
    if (this.full) this.budget.close();
    if (this.#post === undefined) return;
    this.#group.push({ ...failure, failure: short });
    this.#characters += short.message.length + charactersOf(failure);
    if (this.full || this.#group.length >= GROUP_FAILURES || this.#characters >= GROUP_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GROUP_MILLIS);
  }

  /** Posts the collected failures. Waits if failures come faster than they are stored. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#group;
    if (group.length === 0) return;
    const weight = 1 + Math.floor(this.#characters / GATE_CHARACTERS);
    this.#group = [];
    this.#characters = 0;
    this.#gate.enter(weight);
    this.#post?.(group, weight);
    this.#gate.wait(() => false);
  }
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`;
}

function charactersOf({ document }: KeptFailure): number {
  if (document === undefined) return 0;
  return document.kind === 'input' ? document.json.length : document.text.length;
}
