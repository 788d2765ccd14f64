import { HeadraceError, nearest } from '@headrace/engine';
import { JsonRecordFilter, type RecordStep } from '@headrace/formats/records/json';
import { pathSteps } from '@headrace/languages/json-path';
import type { ByteSource } from '../byte-source.ts';

/** Returns the steps of the parameter `recordsPath`. Throws an error for a path that needs the whole document. */
export function stepsOf(recordsPath: string): RecordStep[] {
  return pathSteps(recordsPath);
}

/** The records at a path of a JSON file. */
export class RecordsAtPath {
  readonly #path: string;
  readonly #filter: JsonRecordFilter;

  constructor(recordsPath: string) {
    this.#path = recordsPath;
    this.#filter = new JsonRecordFilter(stepsOf(recordsPath));
  }

  /** Returns the source, in which blanks replace all bytes that are not part of a record. */
  async *of(source: ByteSource): ByteSource {
    for await (const piece of source) {
      const bytes = Buffer.from(piece);
      this.#filter.filter(bytes);
      yield bytes;
    }
  }

  /** Returns whether the source ended inside an object or an array outside the records. */
  get isOpen(): boolean {
    return this.#filter.isOpen;
  }

  /** The number of values at the top level of the file in which the path leads to nothing. */
  get unmatched(): number {
    return this.#filter.values - this.#filter.matched;
  }

  /** Throws `HR_SOURCE_UNREADABLE` if the path leads to nothing in the whole file. */
  requireMatch(file: string): void {
    if (this.#filter.matched > 0) return;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `${file}: recordsPath ${this.#path} leads to nothing`, {
      hint: this.#hint(),
    });
  }

  #hint(): string {
    const { values, names, reached } = this.#filter;
    if (values === 0) return 'The file has no JSON value.';
    const steps = stepsOf(this.#path);
    const parent = `$${steps.slice(0, reached).map(textOfStep).join('')}`;
    if (names.size === 0) return `At ${parent} there is no object or array that fits the next step of the path.`;
    const step = steps[reached];
    const wanted = step?.type === 'property' ? step.names[0] : undefined;
    const best = wanted === undefined ? undefined : nearest(wanted, [...names]);
    const keys = `The keys at ${parent} are: ${[...names].join(', ')}.`;
    return best === undefined ? keys : `Did you mean ${best}? ${keys}`;
  }
}

function textOfStep(step: RecordStep): string {
  switch (step.type) {
    case 'wildcard':
      return '[*]';
    case 'index':
      return `[${step.indexes.join(',')}]`;
    case 'property':
      return /^\w+$/.test(step.names.join(','))
        ? `.${step.names[0]}`
        : `[${step.names.map((name) => `'${name}'`).join(',')}]`;
  }
}
