import { describe, expect, it } from 'vitest';
import { Document } from '../document/document.ts';
import { DocumentQueue, type DocumentQueueOptions } from './document-queue.ts';
import { mark, type Process, pipelineOf, type StageSpec } from './stage-behaviours.test.lib.ts';

/** Returns a queue whose sink records what leaves the pipeline, with the position of the document in its batch. */
async function queueOf(stages: (StageSpec | Process)[], options: Partial<DocumentQueueOptions> = {}) {
  const events: string[] = [];
  const sink = {
    position: -1,
    full: false,
    due: false,
    mark: () => {
      const { length } = events;
      return () => void events.splice(length);
    },
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
  const queue = new DocumentQueue({
    pipeline,
    sink,
    stopped: () => false,
    guard,
    progressed: async () => undefined,
    ...options,
  });
  const feed = (...ids: string[]) => {
    for (const [at, id] of ids.entries()) queue.feed(Document.create(id), 0, at);
  };
  return { queue, feed, events };
}

/** Returns a stage that waits for an answer about one document. */
const waitsFor =
  (id: string): Process =>
  (document) =>
    document.id === id ? new Promise((resolve) => setImmediate(resolve, undefined)) : undefined;

describe('a document queue', () => {
  it('passes documents on immediately if no stage waits', async () => {
    const { queue, feed, events } = await queueOf([mark('a')]);
    feed('x', 'y');
    expect(events).toEqual(['0 out x', '0 finished x', '1 out y', '1 finished y']);
    expect(queue.isWaiting).toBe(false);
  });

  it('lets documents wait in order after a document for which a stage waits', async () => {
    const { queue, feed, events } = await queueOf([waitsFor('x')]);
    feed('x', 'y', 'z');
    expect([queue.isWaiting, events]).toEqual([true, []]);
    await queue.finish();
    expect(events.filter((event) => event.includes('finished'))).toEqual([
      '0 finished x',
      '1 finished y',
      '2 finished z',
    ]);
    expect(queue.isWaiting).toBe(false);
  });

  it('reports the position of each document if a pipeline keeps several documents in flight', async () => {
    const { queue, feed, events } = await queueOf([{ process: waitsFor('y'), maxInFlight: 4 }]);
    feed('x', 'y', 'z');
    expect(events).toEqual([]);
    await queue.finish();
    expect(events.filter((event) => event.includes('finished'))).toEqual([
      '0 finished x',
      '1 finished y',
      '2 finished z',
    ]);
  });

  it('fails a document that has waited and then exceeds its time limit', async () => {
    const { queue, feed, events } = await queueOf([waitsFor('x')], { guard: () => false });
    feed('x', 'y');
    await queue.finish();
    expect(events).toEqual(['0 out x', '0 finished x', '1 failed y']);
  });

  it('leaves waiting documents unprocessed after the run has stopped', async () => {
    let stopped = false;
    const { queue, feed, events } = await queueOf([waitsFor('x')], { stopped: () => stopped });
    feed('x', 'y');
    stopped = true;
    await queue.finish();
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
    const { queue, feed } = await queueOf([waitsFor('x')], { guard, progressed: async () => void progress++ });
    feed('x', 'y', 'z');
    await queue.finish();
    expect([guards, progress]).toEqual([1, 1]);
  });

  it('ends a group at a document that waits, and continues with a new group', async () => {
    let progress = 0;
    const { queue, feed, events } = await queueOf([waitsFor('x'), waitsFor('y')], {
      progressed: async () => void progress++,
    });
    feed('x', 'y', 'z');
    await queue.finish();
    expect(events.filter((event) => event.includes('finished'))).toEqual([
      '0 finished x',
      '1 finished y',
      '2 finished z',
    ]);
    expect(progress).toBe(2);
  });
});
