import type { Overlap } from '../api/overlap.ts';

/** What the queue has to know of a run. */
export interface Queued {
  readonly id: string;
  /** Undefined: a config of its own, which no other run has. */
  readonly configId: string | undefined;
  readonly overlap: Overlap;
}

/** The key of the runs whose configs were sent with them. */
const OWN = Symbol('own config');

type Key = string | typeof OWN;

/**
 * Runs that wait for a place. Configs take turns, so that a thousand runs of one config keep nobody else waiting for
 * more than one of them; the runs of one config keep their order.
 */
export class RunQueue<T extends Queued> {
  /** By config, in the order of their turns. */
  readonly #waiting = new Map<Key, T[]>();
  /** How many runs of a config are going. */
  readonly #going = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(run: T): void {
    const key = run.configId ?? OWN;
    const runs = this.#waiting.get(key);
    if (runs === undefined) this.#waiting.set(key, [run]);
    else runs.push(run);
    this.#size++;
  }

  /** Takes out the run whose turn it is, if one may begin. Its config counts as going until `ended`. */
  next(): T | undefined {
    for (const [key, runs] of this.#waiting) {
      const [run] = runs;
      if (run === undefined || this.#hasToWait(run)) continue;
      runs.shift();
      this.#waiting.delete(key);
      // Behind the others.
      if (runs.length > 0) this.#waiting.set(key, runs);
      this.#size--;
      if (run.configId !== undefined) this.#going.set(run.configId, (this.#going.get(run.configId) ?? 0) + 1);
      return run;
    }
    return undefined;
  }

  /** A run that `next` gave goes on no more. */
  ended({ configId }: T): void {
    if (configId === undefined) return;
    const others = (this.#going.get(configId) ?? 0) - 1;
    if (others > 0) this.#going.set(configId, others);
    else this.#going.delete(configId);
  }

  /** Takes out a run that is to begin no more. */
  remove(run: T): void {
    const key = run.configId ?? OWN;
    const runs = this.#waiting.get(key) ?? [];
    const at = runs.indexOf(run);
    if (at < 0) return;
    runs.splice(at, 1);
    this.#size--;
    if (runs.length === 0) this.#waiting.delete(key);
  }

  /** The last waiting run of the config. */
  last(configId: string): T | undefined {
    return this.#waiting.get(configId)?.at(-1);
  }

  /** The place of a run, from 1, if all that wait began in their turns; undefined when it does not wait. */
  position(run: T): number | undefined {
    const key = run.configId ?? OWN;
    const at = this.#waiting.get(key)?.indexOf(run) ?? -1;
    if (at < 0) return undefined;
    let place = 1;
    let before = true;
    for (const [other, { length }] of this.#waiting) {
      if (other === key) {
        before = false;
        place += at;
      } else {
        // Those before it in the order have had one turn more.
        place += Math.min(length, before ? at + 1 : at);
      }
    }
    return place;
  }

  #hasToWait({ configId, overlap }: T): boolean {
    return overlap === 'queue' && configId !== undefined && this.#going.has(configId);
  }
}
