import { FailureRoom } from './failure-room.ts';
import { type FailedDocument, type KeptFailure, MAX_KEPT_FAILURES, MAX_MESSAGE_CHARACTERS } from './kept-failure.ts';

/** A group leaves with this many failures, at about this many characters, or after this long. */
const GROUP_FAILURES = 100;
const GROUP_CHARACTERS = 256 * 1024;
const GROUP_MILLIS = 100;

/** Tells of the failed documents of a run while it goes on: in groups, and up to a limit. */
export class FailureReports {
  /** Those that were told of, without their contents. */
  readonly told: FailedDocument[] = [];
  readonly room = new FailureRoom();
  private readonly post: ((failures: KeptFailure[]) => void) | undefined;
  private group: KeptFailure[] = [];
  private characters = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param post takes a group; undefined: nobody wants to know */
  constructor(post: ((failures: KeptFailure[]) => void) | undefined) {
    this.post = post;
    if (post === undefined) this.room.close();
  }

  /** Whether no more failures are taken. */
  get full(): boolean {
    return this.told.length >= MAX_KEPT_FAILURES;
  }

  add(failure: KeptFailure): void {
    if (this.full) return;
    const { id, connector, at, status } = failure;
    const short = { ...failure.failure, message: cut(failure.failure.message) };
    this.told.push({ id, connector, at, failure: short, ...(status === undefined ? {} : { status }) });
    if (this.full) this.room.close();
    if (this.post === undefined) return;
    this.group.push({ ...failure, failure: short });
    this.characters += short.message.length + charactersOf(failure);
    if (this.full || this.group.length >= GROUP_FAILURES || this.characters >= GROUP_CHARACTERS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), GROUP_MILLIS);
  }

  /** Posts what there is. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { group } = this;
    if (group.length === 0) return;
    this.group = [];
    this.characters = 0;
    this.post?.(group);
  }
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`;
}

function charactersOf({ document }: KeptFailure): number {
  if (document === undefined) return 0;
  return document.kind === 'input' ? document.json.length : document.text.length;
}
