import { describe, expect, it } from 'vitest';
import { Document } from '../document/document.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import { children, mark, pipelineOf, send, ways } from './stage-behaviours.test.lib.ts';

describe.each(ways)('a pipeline of %s', (_, way) => {
  it('sends each document through every stage, in order', async () => {
    const pipeline = await pipelineOf(way(mark('a')), way(mark('b')), way(mark('c')));
    const { events, taken } = await send(pipeline, ['1', '22', '333']);
    expect(events).toEqual(['out 1 abc', 'finished 1', 'out 22 abc', 'finished 22', 'out 333 abc', 'finished 333']);
    expect(taken).toBe(3);
    expect(pipeline.statistics.map(({ name, processed, failed }) => [name, processed, failed])).toEqual([
      ['stage_1', 3, 0],
      ['stage_2', 3, 0],
      ['stage_3', 3, 0],
    ]);
  });

  it('sends children through the later stages before their parent', async () => {
    const pipeline = await pipelineOf(way(mark('a')), way(children('x', 'y')), way(mark('b')));
    const { events } = await send(pipeline, ['1', '2']);
    expect(events).toEqual([
      'child 1.x b',
      'child 1.y b',
      'out 1 ab',
      'finished 1',
      'child 2.x b',
      'child 2.y b',
      'out 2 ab',
      'finished 2',
    ]);
    expect(pipeline.statistics[1]).toMatchObject({ children: 4 });
  });

  it('sets the run id of children without a run id to that of their parent', async () => {
    const own = (document: Document) => {
      const [plain, other] = [Document.create('plain'), Document.create('other')];
      other.setRunId('another');
      return document.id === '1' ? [plain, other] : undefined;
    };
    const seen: (string | undefined)[] = [];
    const pipeline = await pipelineOf(
      way(own),
      way((document) => void seen.push(document.runId)),
    );
    await send(pipeline, ['1']);
    expect(seen.toSorted()).toEqual(['another', 'r', 'r']);
  });

  it('skips later stages for dropped and skipped documents', async () => {
    const pipeline = await pipelineOf(
      way((document) => (document.id === '1' ? document.drop() : document.id === '2' ? document.skip() : undefined)),
      way(mark('b')),
    );
    const { events, documents } = await send(pipeline, ['1', '2', '3']);
    expect(events).toEqual(['out 1', 'finished 1', 'out 2', 'finished 2', 'out 3 b', 'finished 3']);
    expect(documents.map((document) => [document.dropped, document.skipped])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  it('checks conditions before each stage, and counts the documents that meet them and the others', async () => {
    const only = { fields: ['id'], operator: 'must' as const, values: ['2'] };
    const pipeline = await pipelineOf(way(mark('a')), { ...way(mark('b')), config: { conditions: [only] } });
    const { events } = await send(pipeline, ['1', '2']);
    expect(events.filter((line) => line.startsWith('out'))).toEqual(['out 1 a', 'out 2 ab']);
    expect(pipeline.statistics.map(({ processed, skipped }) => [processed, skipped])).toEqual([
      [2, 0],
      [1, 1],
    ]);
  });

  it('fails only the document with the error, and reports the stage', async () => {
    const pipeline = await pipelineOf(
      way(mark('a')),
      way((document) => {
        if (document.id === '2') throw new Error('cannot');
      }),
    );
    const { events } = await send(pipeline, ['1', '2', '3']);
    expect(events).toEqual(['out 1 a', 'finished 1', 'failed 2 at stage_2: cannot', 'out 3 a', 'finished 3']);
    expect(pipeline.statistics.map(({ failed }) => failed)).toEqual([0, 1]);
  });

  it('fails a parent if a later stage fails on its child, but keeps children that left before', async () => {
    const pipeline = await pipelineOf(
      way(children('x', 'y', 'z')),
      way((document) => {
        if (document.id.endsWith('y')) throw new Error('cannot');
      }),
    );
    const { events } = await send(pipeline, ['1', '2']);
    expect(events).toEqual(['child 1.x', 'failed 1 at stage_2: cannot', 'child 2.x', 'failed 2 at stage_2: cannot']);
  });

  it('keeps the code of an error', async () => {
    const pipeline = await pipelineOf(
      way(() => {
        throw new HeadraceError('HR_DOCUMENT_TYPE', 'no');
      }),
    );
    const codes: string[] = [];
    const sink = {
      emit() {},
      finished() {},
      failedDocument: (_: Document, error: HeadraceError) => codes.push(error.code),
    };
    await pipeline.process([Document.create('1')], sink as never, () => false);
    expect(codes).toEqual(['HR_DOCUMENT_TYPE']);
  });

  it.each<[string, unknown, string]>([
    ['a number', 5, 'The stage returned a number where children are expected'],
    ['a document', Document.create('x'), 'The stage returned a document where children are expected'],
    ['true', true, 'The stage returned a boolean where children are expected'],
    [
      'an async generator',
      (async function* () {})(),
      'The stage returned [object AsyncGenerator] where children are expected',
    ],
    ['plain objects', [{ id: 1 }], 'The stage emitted [object Object] without a valid id'],
    ['null among the children', [null], 'The stage emitted null without a valid id'],
    ['a child with an empty id', [Document.create('')], 'The stage emitted a document without a valid id'],
  ])('fails a document if a stage returns %s', async (_, given, message) => {
    const pipeline = await pipelineOf(way(() => given as never));
    const { events } = await send(pipeline, ['1']);
    expect(events).toEqual([`failed 1 at stage_1: ${message}`]);
  });

  it('treats null as no children', async () => {
    const pipeline = await pipelineOf(
      way(() => null as never),
      way(mark('b')),
    );
    expect((await send(pipeline, ['1'])).events).toEqual(['out 1 b', 'finished 1']);
  });

  it('closes a generator that emits an invalid child', async () => {
    let closed = 0;
    const pipeline = await pipelineOf(
      way(() =>
        (function* () {
          try {
            yield null as never;
          } finally {
            closed++;
          }
        })(),
      ),
    );
    const { events } = await send(pipeline, ['1']);
    expect([events, closed]).toEqual([['failed 1 at stage_1: The stage emitted null without a valid id'], 1]);
  });

  it('fails a document if its generator of children throws, but keeps earlier children', async () => {
    const pipeline = await pipelineOf(
      way((document) =>
        (function* () {
          yield Document.create(`${document.id}.x`);
          throw new Error('no more');
        })(),
      ),
    );
    expect((await send(pipeline, ['1'])).events).toEqual(['child 1.x', 'failed 1 at stage_1: no more']);
  });
});

describe('stopping a pipeline', () => {
  it('processes no more documents after the run has stopped', async () => {
    const pipeline = await pipelineOf(mark('a'));
    let asked = 0;
    const { events, taken, documents } = await send(pipeline, ['1', '2', '3'], () => asked++ === 2);
    expect(taken).toBe(2);
    expect(events).toHaveLength(4);
    expect(documents[2]?.has('trail')).toBe(false);
  });

  it('stops every stage and then throws the first error', async () => {
    const stopped: number[] = [];
    const pipeline = await pipelineOf(
      { stop: () => void stopped.push(1) },
      {
        stop: () => {
          stopped.push(2);
          throw new Error('cannot stop');
        },
      },
      { stop: async () => void stopped.push(3) },
    );
    await expect(pipeline.stop()).rejects.toThrow('cannot stop');
    expect(stopped).toEqual([1, 2, 3]);
  });
});

describe('starting a pipeline', () => {
  it('reports the stage that cannot start, and stops the started stages', async () => {
    const events: string[] = [];
    const starting = pipelineOf(
      { start: () => void events.push('start 1'), stop: () => void events.push('stop 1') },
      {
        start: async () => {
          throw new HeadraceError('HR_SOURCE_UNREADABLE', 'no such file', { hint: 'Create it.' });
        },
        stop: () => void events.push('stop 2'),
      },
      { start: () => void events.push('start 3') },
    );
    const error = (await starting.then(
      () => expect.fail('it started'),
      (thrown) => thrown,
    )) as HeadraceError;
    expect(error).toMatchObject({
      code: 'HR_STAGE_START',
      message: 'Stage stage_2 (1) could not start: no such file',
      hint: 'Create it.',
    });
    expect(events).toEqual(['start 1', 'stop 1']);
  });

  it('is possible without stages', async () => {
    expect((await send(await pipelineOf(), ['1'])).events).toEqual(['out 1', 'finished 1']);
  });
});
