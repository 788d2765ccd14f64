/**
 * The keys of documents: texts, or numbers such as hashes. If two hashes are equal by chance, one work only waits for
 * the other.
 */
type Keys = ReadonlySet<string | number>;

interface Work {
  /** The documents that the work concerns. Undefined means all documents. */
  readonly keys: Keys | undefined;
  readonly ended: Promise<unknown>;
}

/** Runs work concurrently. Work with common documents runs in the order of the calls. */
export class KeyOrder {
  readonly #going = new Set<Work>();

  /**
   * Runs work after all earlier work with a common key has ended.
   * @param keys the keys that the work affects; undefined for all keys
   */
  run<T>(keys: Keys | undefined, work: () => Promise<T>): Promise<T> {
    const before = [...this.#going].filter((other) => haveCommon(keys, other.keys)).map(({ ended }) => ended);
    const result = before.length === 0 ? work() : Promise.all(before).then(work);
    const entry: Work = { keys, ended: result.catch(() => undefined) };
    this.#going.add(entry);
    void entry.ended.then(() => this.#going.delete(entry));
    return result;
  }
}

function haveCommon(a: Keys | undefined, b: Keys | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  for (const key of fewer) if (more.has(key)) return true;
  return false;
}
