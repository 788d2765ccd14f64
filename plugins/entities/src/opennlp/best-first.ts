/** Items in the order of their scores, the highest first. */
interface Scored {
  readonly score: number;
}

/**
 * A queue that returns the item with the highest score first. The order of equal scores is that of
 * `java.util.PriorityQueue`, which decides between equal sequences in OpenNLP.
 */
export class BestFirst<Item extends Scored> {
  readonly #heap: Item[] = [];

  get length(): number {
    return this.#heap.length;
  }

  add(item: Item): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (item.score <= (heap[parent] as Item).score) break;
      heap[at] = heap[parent] as Item;
      at = parent;
    }
    heap[at] = item;
  }

  /** Removes and returns the best item; undefined if the queue is empty. */
  next(): Item | undefined {
    const heap = this.#heap;
    const best = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return best;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child] as Item).score < (heap[child + 1] as Item).score) child++;
      if (last.score >= (heap[child] as Item).score) break;
      heap[at] = heap[child] as Item;
      at = child;
    }
    heap[at] = last;
    return best;
  }
}
