import type { Document } from '../document/document.ts';
import type { Output } from './sink.ts';
import type { StageError } from './stage-error.ts';
import type { Undo } from './undo.ts';

/** The number of documents that collect after a segment before they continue together. */
const WINDOW = 256;

/** An input document and its result. */
export interface InputState {
  readonly document: Document;
  error: StageError | undefined;
  /** The number of the last segment in which a member failed; -1 if no member failed. */
  failedIn: number;
}

/** An input document or one of its children, in the pipeline. */
export interface Member {
  readonly document: Document;
  readonly input: InputState;
}

/** Collects the members that leave a segment, in order, until they continue together. */
export class MemberWindow {
  #members: Member[] = [];
  readonly #send: (members: readonly Member[]) => Promise<boolean>;
  #marked = 0;
  readonly #undo: Undo = () => {
    this.#members.length = this.#marked;
  };

  /** @param send passes the members to the next segment; returns false if no more members are needed */
  constructor(send: (members: readonly Member[]) => Promise<boolean>) {
    this.#send = send;
  }

  get full(): boolean {
    return this.#members.length >= WINDOW;
  }

  mark(): Undo {
    this.#marked = this.#members.length;
    return this.#undo;
  }

  add(member: Member): void {
    this.#members.push(member);
  }

  async flush(): Promise<boolean> {
    const members = this.#members;
    this.#members = [];
    return members.length === 0 || this.#send(members);
  }

  /** Returns the output of a segment for an input and its children. */
  output(input: InputState): Output {
    return new MemberOutput(input, this);
  }
}

class MemberOutput implements Output {
  readonly #input: InputState;
  readonly #window: MemberWindow;

  constructor(input: InputState, window: MemberWindow) {
    this.#input = input;
    this.#window = window;
  }

  get full(): boolean {
    return this.#window.full;
  }

  emit(document: Document): void {
    this.#window.add({ document, input: this.#input });
  }

  async relieve(): Promise<boolean> {
    const more = await this.#window.flush();
    // If a later segment failed on a member, no more children are needed.
    return more && this.#input.error === undefined;
  }
}
