import { describe, expect, it } from 'vitest';
import { Document } from '../document/document.ts';
import { mark, type Process, pipelineOf, type StageSpec } from '../pipeline/stage-behaviours.test.lib.ts';
import { PipelineFeeder, type PipelineFeederOptions } from './pipeline-feeder.ts';

/** Returns a feeder whose sink records what leaves the pipeline, with the position of the document in its batch. */
async function feederOf(stages: (StageSpec | Process)[], options: Partial<PipelineFeederOptions> = {}) {
  const events: string[] = [];
  const sink = {
    position: -1,
    full: false,
    due: false,
    mark: () => events.length,
    rollback: (mark: unknown) => void events.splice(mark as number),
    relieve: async () => true,
    emit: (document: Document) => void events.push(`${sink.position} out ${document.id}`),
    finished: (document: Document) => void events.push(`${sink.position} finished ${document.id}`),
    failedDocument: (document: Document) => void events.push(`${sink.position} failed ${document.id}`),
  };
  const guard = (work: () => void) => {
    work();
    return true;
  };
  const pipeline = await pipelineOf(...stages);
  const feeder = new PipelineFeeder({
    pipeline,
    sink,
    stopped: () => false,
    guard,
    progressed: async () => undefined,
    ...options,
  });
  const feed = (...ids: string[]) => {
    for (const [at, id] of ids.entries()) feeder.feed(Document.create(id), 0, at);
  };
  return { feeder, feed, events };
}

/** Returns a stage that waits for an answer about one document. */
const waitsFor =
  (id: string): Process =>
  (document) =>
    document.id === id ? new Promise((resolve) => setImmediate(resolve, undefined)) : undefined;

describe('a pipeline feeder', () => {
  it('passes documents on immediately if no stage waits', async () => {
    const { feeder, feed, events } = await feederOf([mark('a')]);
    feed('x', 'y');
    expect(events).toEqual(['0 out x', '0 finished x', '1 out y', '1 finished y']);
    expect(feeder.isWaiting).toBe(false);
  });

  it('lets documents wait in order after a document for which a stage waits', async () => {
    const { feeder, feed, events } = await feederOf([waitsFor('x')]);
    feed('x', 'y', 'z');
    expect([feeder.isWaiting, events]).toEqual([true, []]);
    await feeder.finish();
    expect(events.filter((event) => event.includes('finished'))).toEqual([
      '0 finished x',
      '1 finished y',
      '2 finished z',
    ]);
    expect(feeder.isWaiting).toBe(false);
  });

  it('reports the position of each document if a pipeline keeps several documents in flight', async () => {
    const { feeder, feed, events } = await feederOf([{ process: waitsFor('y'), maxInFlight: 4 }]);
    feed('x', 'y', 'z');
    expect(events).toEqual([]);
    await feeder.finish();
    expect(events.filter((event) => event.includes('finished'))).toEqual([
      '0 finished x',
      '1 finished y',
      '2 finished z',
    ]);
  });

  it('fails a document that has waited and then exceeds its time limit', async () => {
    const { feeder, feed, events } = await feederOf([waitsFor('x')], { guard: () => false });
    feed('x', 'y');
    await feeder.finish();
    expect(events).toEqual(['0 out x', '0 finished x', '1 failed y']);
  });

  it('leaves waiting documents unprocessed after the run has stopped', async () => {
    let stopped = false;
    const { feeder, feed, events } = await feederOf([waitsFor('x')], { stopped: () => stopped });
    feed('x', 'y');
    stopped = true;
    await feeder.finish();
    expect(events).toEqual(['0 out x', '0 finished x']);
  });

  it('processes documents that have waited in one group, and reports progress after it', async () => {
    let progress = 0;
    let guards = 0;
    const guard = (work: () => void) => {
      guards++;
      work();
      return true;
    };
    const { feeder, feed } = await feederOf([waitsFor('x')], { guard, progressed: async () => void progress++ });
    feed('x', 'y', 'z');
    await feeder.finish();
    expect([guards, progress]).toEqual([1, 1]);
  });

  it('ends a group at a document that waits, and continues with a new group', async () => {
    let progress = 0;
    const { feeder, feed, events } = await feederOf([waitsFor('x'), waitsFor('y')], {
      progressed: async () => void progress++,
    });
    feed('x', 'y', 'z');
    await feeder.finish();
    expect(events.filter((event) => event.includes('finished'))).toEqual([
      '0 finished x',
      '1 finished y',
      '2 finished z',
    ]);
    expect(progress).toBe(2);
  });
});
