import type { Document } from '../document/document.ts';
import type { Outlet } from './segmented-pipeline.ts';
import type { StageError } from './stage-error.ts';

/** The number of documents that collect after a segment before they continue together. */
const WINDOW = 256;

/** An input document and its result. */
export interface Family {
  readonly input: Document;
  error: StageError | undefined;
  /** The number of the last segment in which a member failed; -1 if no member failed. */
  failedIn: number;
}

/** An input document or one of its children, in the pipeline. */
export interface Member {
  readonly document: Document;
  readonly family: Family;
}

/** Collects the members that leave a segment, in order, until they continue together. */
export class MemberWindow {
  #members: Member[] = [];
  readonly #send: (members: readonly Member[]) => Promise<boolean>;

  /** @param send passes the members to the next segment; returns false if no more members are needed */
  constructor(send: (members: readonly Member[]) => Promise<boolean>) {
    this.#send = send;
  }

  get length(): number {
    return this.#members.length;
  }

  /** Shortens the window: removes the members that were added last. */
  set length(length: number) {
    this.#members.length = length;
  }

  get full(): boolean {
    return this.#members.length >= WINDOW;
  }

  add(member: Member): void {
    this.#members.push(member);
  }

  async flush(): Promise<boolean> {
    const members = this.#members;
    this.#members = [];
    return members.length === 0 || this.#send(members);
  }

  /** Returns the outlet of a segment for the members of a family. */
  outlet(family: Family): Outlet {
    return new MemberOutlet(family, this);
  }
}

class MemberOutlet implements Outlet {
  readonly #family: Family;
  readonly #window: MemberWindow;

  constructor(family: Family, window: MemberWindow) {
    this.#family = family;
    this.#window = window;
  }

  get full(): boolean {
    return this.#window.full;
  }

  emit(document: Document): void {
    this.#window.add({ document, family: this.#family });
  }

  async relieve(): Promise<boolean> {
    const more = await this.#window.flush();
    // If a later segment failed on a member of the family, no more children are needed.
    return more && this.#family.error === undefined;
  }
}
