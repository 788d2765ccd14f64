import type { Document } from '../document/document.ts';
import type { Outlet } from './segmented-pipeline.ts';
import type { StageError } from './stage-error.ts';

/** How many documents that have left a segment wait for the others of their window. */
const WINDOW = 256;

/** An input document and what became of it. */
export interface Family {
  readonly input: Document;
  error: StageError | undefined;
  /** The number of the last segment in which a member of it failed; -1 when none did. */
  failedIn: number;
}

/** An input document, or a child of it, on its way. */
export interface Member {
  readonly document: Document;
  readonly family: Family;
}

/** Members that have left a segment, in order, until they go on together. */
export class MemberWindow {
  #members: Member[] = [];
  readonly #goOn: (members: readonly Member[]) => Promise<boolean>;

  /** @param goOn sends them on; false: no more are wanted */
  constructor(goOn: (members: readonly Member[]) => Promise<boolean>) {
    this.#goOn = goOn;
  }

  get length(): number {
    return this.#members.length;
  }

  /** Takes back what has come since there were so many. */
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
    return members.length === 0 || this.#goOn(members);
  }

  /** Where the members of a family leave the segment. */
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
    // Of a family that has failed further on, no more children are wanted.
    return more && this.#family.error === undefined;
  }
}
