import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { kindOf } from '../errors/contract-error.ts';
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
 * Checks a child, and sets its run id to that of its parent if it has none. Throws if the child is not a document, has
 * no id, or is the parent itself, which leaves the stage in any case.
 */
export function adopt(child: Document, parent: Document): void {
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
