import type { HighMark } from '../database/high-mark.ts';
import type { FileState } from './file-state.ts';

/**
 * The prefix of the entries that store the highest value of a column. The other entries of a state are paths, which
 * never begin like this.
 */
const NAME = 'incremental';

type Entry = readonly [name: typeof NAME, generation: number, column: string, kind: HighMark['kind'], text: string];

/**
 * Stores the highest indexed value of a column in a file state. Each value is an entry with an increasing number. If
 * the process dies after it writes the new entry and before it removes the old one, both exist: the higher number wins.
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

  /** Reads the mark of a column. Marks of other columns are ignored. */
  static async read(state: FileState, column: string): Promise<RememberedMark> {
    const mark = new RememberedMark(state, column.toLowerCase());
    await state.begin();
    for await (const { path } of state.expired(0)) mark.#take(path);
    return mark;
  }

  get value(): HighMark | undefined {
    return this.#found;
  }

  /** Stores that all rows up to this value have been indexed, or have failed individually. */
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
