import type { HighMark } from '../database/high-mark.ts';
import type { FileState } from './file-state.ts';

/** What goes before the entries of marks: paths, which a state also holds, do not begin so. */
const NAME = 'incremental';

type Entry = readonly [name: typeof NAME, generation: number, column: string, kind: HighMark['kind'], text: string];

/**
 * The highest value of a column that was indexed, in a state as files have it. Each value is an entry with a number
 * that counts up: a process that dies between writing the next one and removing the last leaves both, and the
 * later one counts.
 */
export class RememberedMark {
  readonly #state: FileState;
  readonly #column: string;
  #generation = 0;
  #entries: string[] = [];
  #found: HighMark | undefined;

  private constructor(state: FileState, column: string) {
    this.#state = state;
    this.#column = column;
  }

  /** Reads what is remembered for a column. What is remembered for other columns does not count. */
  static async read(state: FileState, column: string): Promise<RememberedMark> {
    const mark = new RememberedMark(state, column.toLowerCase());
    await state.begin();
    for await (const { path } of state.expired(0)) mark.#take(path);
    return mark;
  }

  get value(): HighMark | undefined {
    return this.#found;
  }

  /** All rows up to this value have been indexed, or failed by themselves. */
  async advance({ kind, text }: HighMark): Promise<void> {
    const entry: Entry = [NAME, this.#generation + 1, this.#column, kind, text];
    const path = JSON.stringify(entry);
    await this.#state.encounter(path);
    await this.#state.published([path], BigInt(Date.now()) * 1_000_000n);
    await this.#state.forget(this.#entries);
    this.#generation++;
    this.#entries = [path];
  }

  #take(path: string): void {
    if (!path.startsWith(`["${NAME}",`)) return;
    const [, generation, column, kind, text] = JSON.parse(path) as Entry;
    this.#entries.push(path);
    if (generation <= this.#generation) return;
    this.#generation = generation;
    this.#found = column === this.#column ? { kind, text } : undefined;
  }
}
