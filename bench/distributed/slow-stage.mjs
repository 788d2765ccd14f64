import { Document, Stage, Type } from '@headrace/engine';

const cell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Takes about a millisecond for a document, without processor time, so that kills meet documents in progress. Of each
 * hundred documents one is dropped, one fails and one has a child, so that the accounts have all kinds of results.
 */
export class SlowStage extends Stage {
  static parameters = Type.Object({});

  process(document) {
    Atomics.wait(cell, 0, 0, 1);
    const kind = kindOf(document.id);
    if (kind === 'dropped') document.drop();
    if (kind === 'failed') throw new Error('This document fails always');
    return kind === 'parent' ? [Document.create(childOf(document.id))] : undefined;
  }
}

/** What happens to a document of the test. */
export function kindOf(id) {
  return { 11: 'dropped', 22: 'failed', 33: 'parent' }[Number(id) % 100] ?? 'plain';
}

export function childOf(id) {
  return `${id}-child`;
}
