import type { Children, StageResult } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { HeadraceError } from '../errors/headrace-error.ts';

/** Returns true if a stage returned children. A custom stage may return null instead of undefined for no children. */
export function isGiven(result: StageResult | Promise<StageResult>): result is Children | Promise<StageResult> {
  return result !== undefined && result !== null;
}

/** Returns an iterator over the children. Throws `HR_STAGE_CHILD_INVALID` for a value that is not iterable. */
export function iterateChildren(children: Children): Iterator<Document> {
  if (typeof (children as Partial<Children>)[Symbol.iterator] === 'function') return children[Symbol.iterator]();
  throw new HeadraceError(
    'HR_STAGE_CHILD_INVALID',
    `The stage returned ${kindOf(children)} where children are expected`,
    {
      hint: 'Return nothing or a list of documents, or write process as a generator.',
    },
  );
}

/** Closes a generator of children, so that it can clean up if no more children are needed. */
export function closeChildren(iterator: Iterator<Document> | undefined): void {
  try {
    iterator?.return?.();
  } catch {
    // The error that caused the close is more important than an error of the cleanup.
  }
}

/**
 * Checks a child, and sets its run id to that of its parent if it has none. Throws if the child is not a document or
 * has no id.
 */
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
