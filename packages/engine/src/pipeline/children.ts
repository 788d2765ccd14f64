import type { Children, StageResult } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { HeadraceError } from '../errors/headrace-error.ts';

/** Whether a stage gave anything; a custom one may say no with null. */
export function isGiven(result: StageResult | Promise<StageResult>): result is Children | Promise<StageResult> {
  return result !== undefined && result !== null;
}

/** Throws `HR_STAGE_CHILD_INVALID` for what is nothing to iterate. */
export function iterateChildren(children: Children): Iterator<Document> {
  if (typeof (children as Partial<Children>)[Symbol.iterator] === 'function') return children[Symbol.iterator]();
  throw new HeadraceError('HR_STAGE_CHILD_INVALID', `The stage gave ${kindOf(children)} where children are expected`, {
    hint: 'Return nothing, a list of documents, or make process a generator.',
  });
}

/** Lets a generator of children clean up when no more of them are wanted. */
export function closeChildren(iterator: Iterator<Document> | undefined): void {
  try {
    iterator?.return?.();
  } catch {
    // The error on account of which it is closed is the one to tell of.
  }
}

/** Children get the parent's run id unless they have one. Throws for what is no document, or has no id. */
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
