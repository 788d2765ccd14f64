import { hashText, slotOf, slotsFor } from './hashing.ts';
import { IntList, shared } from './shared-memory.ts';
import { TextPool } from './text-pool.ts';

/** A table of keys and their payloads as plain data, in memory that threads can share. */
export interface PayloadTableData {
  /** Pairs: the index of an entry plus one (0 for a free slot), and the hash of its key. */
  readonly slots: Int32Array;
  /** Triples: the offset of the key, the offset of the first payload, the number of payloads. */
  readonly entries: Int32Array;
  readonly texts: Uint8Array;
}

/** Collects keys with payloads for a `PayloadTable`. */
export class PayloadTableBuilder {
  readonly #texts = new TextPool();
  readonly #entries = new IntList();
  readonly #hashes = new IntList();
  #slots: Int32Array = new Int32Array(1024);

  /** Adds a key with payloads. An existing key gets additional payloads. */
  set(key: string, payloads: readonly string[]): void {
    const hash = hashText(key, 0, key.length);
    let entry = this.#find(key, hash);
    if (entry < 0) {
      entry = this.#hashes.push(hash);
      this.#entries.push(this.#texts.add(key));
      this.#entries.push(0);
      this.#entries.push(0);
      if (slotsFor(entry + 1) > this.#slots.length) this.#grow();
      else occupy(this.#slots, hash, entry);
    }
    let first = 0;
    for (const [i, payload] of payloads.entries()) {
      const at = this.#texts.add(payload);
      if (i === 0) first = at;
    }
    this.#entries.set(entry * 3 + 1, first);
    this.#entries.set(entry * 3 + 2, payloads.length);
  }

  finish(): PayloadTableData {
    const count = this.#hashes.length;
    const size = slotsFor(count);
    const slots = new Int32Array(shared(size * 8));
    for (let entry = 0; entry < count; entry++) {
      const hash = this.#hashes.get(entry);
      let slot = slotOf(hash, size);
      while (slots[slot * 2] !== 0) slot = slot + 1 === size ? 0 : slot + 1;
      slots[slot * 2] = entry + 1;
      slots[slot * 2 + 1] = hash;
    }
    return { slots, entries: this.#entries.share(), texts: this.#texts.share() };
  }

  #find(key: string, hash: number): number {
    const slots = this.#slots;
    for (let slot = slotOf(hash, slots.length); ; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const entry = (slots[slot] as number) - 1;
      if (entry < 0) return -1;
      if (this.#hashes.get(entry) !== hash) continue;
      const at = this.#entries.get(entry * 3);
      if (this.#texts.length(at) === key.length && this.#texts.standsIn(key, 0, at)) return entry;
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let entry = 0; entry < this.#hashes.length; entry++) occupy(this.#slots, this.#hashes.get(entry), entry);
  }
}

function occupy(slots: Int32Array, hash: number, entry: number): void {
  let slot = slotOf(hash, slots.length);
  while (slots[slot] !== 0) slot = slot + 1 === slots.length ? 0 : slot + 1;
  slots[slot] = entry + 1;
}

/** Looks up keys in a table. */
export class PayloadTable {
  readonly #slots: Int32Array;
  readonly #entries: Int32Array;
  readonly #texts: TextPool;
  readonly #size: number;

  constructor({ slots, entries, texts }: PayloadTableData) {
    this.#slots = slots;
    this.#entries = entries;
    this.#texts = new TextPool(texts);
    this.#size = slots.length / 2;
  }

  /** Returns the entry of a key, or -1 if there is none. */
  find(key: string): number {
    const slots = this.#slots;
    const size = this.#size;
    const hash = hashText(key, 0, key.length);
    for (let slot = slotOf(hash, size); ; slot = slot + 1 === size ? 0 : slot + 1) {
      const entry = (slots[slot * 2] as number) - 1;
      if (entry < 0) return -1;
      if (slots[slot * 2 + 1] !== hash) continue;
      const at = this.#entries[entry * 3] as number;
      if (this.#texts.length(at) === key.length && this.#texts.standsIn(key, 0, at)) return entry;
    }
  }

  /** Returns the payloads of an entry. */
  payloads(entry: number): string[] {
    let at = this.#entries[entry * 3 + 1] as number;
    const payloads: string[] = [];
    for (let left = this.#entries[entry * 3 + 2] as number; left > 0; left--) {
      payloads.push(this.#texts.read(at));
      at = this.#texts.next(at);
    }
    return payloads;
  }
}
