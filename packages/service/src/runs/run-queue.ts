import type { Overlap } from '../api/overlap.ts';

/** The properties of a run that the queue needs. */
export interface Queued {
  readonly id: string;
  /** Undefined if the config came with the request, so that no other run has it. */
  readonly configId: string | undefined;
  readonly overlap: Overlap;
}

/** The key of all runs whose config came with the request. */
const OWN = Symbol('own config');

type Key = string | typeof OWN;

/**
 * The runs that wait for a free slot. Configs take turns, so that a thousand runs of one config delay another config by
 * at most one run. The runs of one config keep their order.
 */
export class RunQueue<T extends Queued> {
  /** The waiting runs by config, in the order of the turns. */
  readonly #waiting = new Map<Key, T[]>();
  /** The number of running runs per config. */
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

  /** Removes and returns the next run that may start. Its config counts as running until `ended` is called. */
  next(): T | undefined {
    for (const [key, runs] of this.#waiting) {
      const [run] = runs;
      if (run === undefined || this.#hasToWait(run)) continue;
      runs.shift();
      this.#waiting.delete(key);
      // The config moves to the end of the turns.
      if (runs.length > 0) this.#waiting.set(key, runs);
      this.#size--;
      if (run.configId !== undefined) this.#going.set(run.configId, (this.#going.get(run.configId) ?? 0) + 1);
      return run;
    }
    return undefined;
  }

  /** Reports that a run from `next` has ended. */
  ended({ configId }: T): void {
    if (configId === undefined) return;
    const others = (this.#going.get(configId) ?? 0) - 1;
    if (others > 0) this.#going.set(configId, others);
    else this.#going.delete(configId);
  }

  /** Removes a waiting run that must not start. */
  remove(run: T): void {
    const key = run.configId ?? OWN;
    const runs = this.#waiting.get(key) ?? [];
    const at = runs.indexOf(run);
    if (at < 0) return;
    runs.splice(at, 1);
    this.#size--;
    if (runs.length === 0) this.#waiting.delete(key);
  }

  /** Returns the last waiting run of the config. */
  last(configId: string): T | undefined {
    return this.#waiting.get(configId)?.at(-1);
  }

  /**
   * Returns the position of a run, from 1, if all waiting runs start in turn. Returns undefined if the run is not
   * waiting.
   */
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
        // Configs that come before this one get one more turn.
        place += Math.min(length, before ? at + 1 : at);
      }
    }
    return place;
  }

  #hasToWait({ configId, overlap }: T): boolean {
    return overlap === 'queue' && configId !== undefined && this.#going.has(configId);
  }
}
