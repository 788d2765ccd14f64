import { Stage, Type } from '@headrace/engine';

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Takes about a millisecond for a document, without processor time, so that kills meet documents in progress. */
export class SlowStage extends Stage {
  static parameters = Type.Object({});

  process() {
    Atomics.wait(cell, 0, 0, 1);
  }
}
