import type { Children, StageResult } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { HeadraceError } from '../errors/headrace-error.ts';

/** Whether a stage returned children. A custom stage may return null for none. */
export function isGiven(result: StageResult | Promise<StageResult>): result is Children | Promise<StageResult> {
  return result !== undefined && result !== null;
}

/** Throws `HR_STAGE_CHILD_INVALID` for a value that is not iterable. */
export function iterateChildren(children: Children): Iterator<Document> {
  if (typeof (children as Partial<Children>)[Symbol.iterator] === 'function') return children[Symbol.iterator]();
  throw new HeadraceError(
    'HR_STAGE_CHILD_INVALID',
    `The stage returned ${kindOf(children)} where children are expected`,
    {
      hint: 'Return nothing, a list of documents, or make process a generator.',
    },
  );
}

/** Lets a generator of children clean up when no more children are wanted. */
export function closeChildren(iterator: Iterator<Document> | undefined): void {
  try {
    iterator?.return?.();
  } catch {
    // The original error, because of which the generator is closed, is more important than an error of the cleanup.
  }
}

/** Children get the parent's run id unless they have one. Throws for values that are not documents, or have no id. */
export function adopt(child: Document, parent: Document): void {
  const { id } = (child ?? {}) as Partial<Document>;
  if (typeof id !== 'string' || id === '') {
    throw new HeadraceError('HR_STAGE_CHILD_INVALID', `The stage emitted ${kindOf(child)} without a valid id`);
  }
  const { runId } = parent;
  if (runId !== undefined && child.runId === undefined) child.setRunId(runId);
}

function kindOf(value: unknown): string {
  if (value instanceof Document) return 'a document';
  return value === null || typeof value !== 'object' ? `a ${typeof value}` : Object.prototype.toString.call(value);
}
