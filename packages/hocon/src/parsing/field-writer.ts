import { appended, setField } from '../merging/fields.ts';
import type { Raw } from '../tree/raw.ts';
import { rawItems } from '../tree/raw.ts';
import type { Frame, FrameStack } from './frame.ts';
import type { Session, Source } from './session.ts';

/** Adds finished values to the objects and lists that are being read. */
export class FieldWriter {
  readonly #source: Source;
  readonly #session: Session;
  readonly #frames: FrameStack;

  constructor(source: Source, session: Session, frames: FrameStack) {
    this.#source = source;
    this.#session = session;
    this.#frames = frames;
  }

  /** Adds the value of the current field or element. `start` and `end` are its offsets in the text. */
  write(frame: Frame, value: Raw, start: number, end: number): void {
    const { node, appends } = frame;
    frame.appends = false;
    if (node.kind === 'list') {
      if (value.kind === 'broken') return;
      rawItems(node).push(value);
      const { marks } = this.#session;
      if (marks.isUnresolved(value)) marks.unresolved.add(node);
      return;
    }
    if (this.#source.onField !== undefined) {
      const path = [...this.#frames.path(), ...frame.path];
      const inList = this.#frames.listDepth > 0;
      const { keyStart } = frame;
      this.#source.onField({ path, inList, appends, keyStart, valueStart: start, valueEnd: end, node: value });
    }
    this.#setField(frame, appends ? this.#appended(frame, value) : value);
  }

  #appended({ path }: Frame, element: Raw): Raw {
    if (element.kind === 'broken') return element;
    const { prefix } = this.#source;
    const { marks, joinsAppends } = this.#session;
    const isDefinite = joinsAppends && prefix.length === 0 && this.#frames.isBare;
    return appended(prefix.concat(this.#frames.path(), path), prefix.length, element, isDefinite, marks);
  }

  #setField({ node, path, keyOrigin }: Frame, value: Raw): void {
    if (node.kind !== 'object') return;
    const { marks, problems } = this.#session;
    if (this.#source.format === 'json' && node.entries.has(path[0]!)) {
      const hint = 'all keys of a JSON object must be different';
      problems.add('duplicate-key', keyOrigin, `the key "${path[0]}" appears twice`, hint);
    } else setField(node, path, value, keyOrigin, marks);
  }
}
