/** A list of ascending numbers. It stores no numbers as long as they are 0, 1, 2 and so on. */
export class Ascending {
  #list: number[] | undefined = undefined;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  push(number: number): void {
    const at = this.#count++;
    if (this.#list === undefined) {
      if (number === at) return;
      this.#list = upTo(at);
    }
    this.#list.push(number);
  }

  /** Adds the numbers from `start` to `end` (exclusive). */
  pushRun(start: number, end: number): void {
    if (this.#list === undefined && start === this.#count) this.#count = Math.max(start, end);
    else for (let number = start; number < end; number++) this.push(number);
  }

  /** The numbers. Undefined if they are 0, 1, 2 and so on. */
  get stored(): readonly number[] | undefined {
    return this.#list;
  }

  get all(): readonly number[] {
    return this.#list ?? upTo(this.#count);
  }
}

function upTo(end: number): number[] {
  return Array.from({ length: end }, (_, i) => i);
}
