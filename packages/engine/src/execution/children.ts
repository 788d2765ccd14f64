import type { Children } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { kindOf } from '../errors/contract-error.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { StageCall } from './stage-call.ts';

/**
 * Reads the children that a stage emitted for a document, one at a time, because they may need more memory together
 * than available. Counts and checks each child. An error counts for the stage. Children that are not needed are closed,
 * so that a generator can clean up.
 */
export class ChildReader {
  /** The number of children that were read. */
  count = 0;
  /** True after the last child. */
  ended = false;
  readonly #call: StageCall;
  readonly #children: Children;
  readonly #parent: Document;
  #iterator: Iterator<Document> | undefined = undefined;

  constructor(call: StageCall, children: Children, parent: Document) {
    this.#call = call;
    this.#children = children;
    this.#parent = parent;
  }

  /**
   * Generates the next child. Returns undefined after the last one.
   * @throws StageError
   */
  next(): Document | undefined {
    try {
      this.#iterator ??= iteratorOf(this.#children);
      const { done, value } = this.#iterator.next();
      if (done === true) {
        this.ended = true;
        return undefined;
      }
      this.count++;
      this.#call.statistics.children++;
      adopt(value, this.#parent);
      this.#call.observer?.emitted(value);
      return value;
    } catch (error) {
      this.close();
      throw this.#call.failure(error);
    }
  }

  /** Returns the children that were not read, for another reader. */
  rest(): Children {
    const iterator = this.#iterator;
    return iterator === undefined ? this.#children : { [Symbol.iterator]: () => iterator };
  }

  close(): void {
    try {
      this.#iterator?.return?.();
    } catch {
      // The error that caused the close is more important than an error of the cleanup.
    }
  }
}

function iteratorOf(children: Children): Iterator<Document> {
  if (typeof (children as Partial<Children>)[Symbol.iterator] === 'function') return children[Symbol.iterator]();
  throw new HeadraceError(
    'HR_STAGE_CHILD_INVALID',
    `The stage returned ${kindOf(children)} where children are expected`,
    {
      hint: 'Return nothing or a list of documents, or write process as a generator.',
    },
  );
}

/**
 * Checks a child, and sets its run id to that of its parent if it has none. Throws if the child is not a document, has
 * no id, or is the parent itself, which leaves the stage in any case.
 */
function adopt(child: Document, parent: Document): void {
  const { id, setRunId } = (child ?? {}) as Partial<Document>;
  if (typeof id !== 'string' || id === '') {
    throw new HeadraceError('HR_STAGE_CHILD_INVALID', `The stage emitted ${kindOf(child)} without a valid id`);
  }
  // A module may contain another copy of the class.
  if (typeof setRunId !== 'function') {
    throw new HeadraceError('HR_STAGE_CHILD_INVALID', `The stage emitted ${kindOf(child)}, not a Document`, {
      hint: 'Create children with Document.create(id), or Document.fromObject(toValue(object)).',
    });
  }
  if (child === parent) {
    throw new HeadraceError('HR_STAGE_CHILD_INVALID', `The stage emitted its own document "${id}" as a child`, {
      hint: 'A stage changes its document in place, and returns only new documents.',
    });
  }
  const { runId } = parent;
  if (runId !== undefined && child.runId === undefined) child.setRunId(runId);
}
