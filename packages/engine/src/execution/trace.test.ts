import { describe, expect, it } from 'vitest';
import { Document } from '../document/document.ts';
import type { PipelineSink } from './sink.ts';
import { children, mark, type Process, pipelineOf, type StageSpec, ways } from './stage-behaviours.test.lib.ts';
import type { StageTrace } from './stage-trace.ts';

/** Returns the trace of a document without its times, and the ids of the documents that left the pipeline. */
async function traceOf(stages: (StageSpec | Process)[], maxCharacters = 1000) {
  const pipeline = await pipelineOf(...stages);
  const classes = stages.map((_, i) => `Class${i + 1}`);
  const tracer = pipeline.trace(classes, maxCharacters);
  const left: string[] = [];
  const sink: PipelineSink = {
    emit: ({ id }) => {
      tracer.left();
      left.push(id);
    },
    finished: ({ id }) => left.push(`${id} finished`),
    failedDocument: (_, { stage, message }) => left.push(`failed at ${stage}: ${message}`),
  };
  const document = Document.create('1');
  const trace = tracer.begin(document);
  await pipeline.process([document], sink, () => false);
  return { trace: withoutTimes(trace), left, millis: trace.map(({ millis }) => typeof millis) };
}

function withoutTimes(trace: readonly StageTrace[]): unknown[] {
  return trace.map(({ millis: _, stage, class: className, children: emitted, failure, ...rest }) => ({
    of: `${stage} ${className}`,
    ...rest,
    ...(failure === undefined ? {} : { failure: failure.message }),
    ...(emitted === undefined
      ? {}
      : { children: emitted.map((child) => ({ ...child, trace: withoutTimes(child.trace) })) }),
  }));
}

describe.each(ways)('the trace of a document in a pipeline of %s', (_, way) => {
  it('shows the document after each stage, and the children with the effects of the later stages', async () => {
    const { trace, left } = await traceOf([way(mark('a')), way(children('x', 'y')), way(mark('b'))]);
    expect(left).toEqual(['1.x', '1.y', '1', '1 finished']);
    const child = (id: string) => ({
      document: `{"id":"${id}"}`,
      trace: [{ of: 'stage_3 Class3', document: `{"id":"${id}","trail":["b"]}` }],
    });
    expect(trace).toEqual([
      { of: 'stage_1 Class1', document: '{"id":"1","trail":["a"]}' },
      { of: 'stage_2 Class2', unchanged: true, children: [child('1.x'), child('1.y')] },
      { of: 'stage_3 Class3', document: '{"id":"1","trail":["a","b"]}' },
    ]);
  });

  it('ends at a stage that drops the document, or makes it skip the later stages', async () => {
    const dropping = await traceOf([way((document) => document.drop()), way(mark('a'))]);
    expect(dropping.trace).toEqual([{ of: 'stage_1 Class1', dropped: true }]);
    const skipping = await traceOf([way((document) => document.skip()), way(mark('a'))]);
    expect(skipping.trace).toEqual([
      { of: 'stage_1 Class1', skipsRest: true, document: '{"id":"1","___skipped":true}' },
    ]);
  });

  it('shows the stage that failed, also on a child', async () => {
    const fails = way(({ id }) => {
      if (id === '1.y') throw new Error('no');
    });
    const { trace, left } = await traceOf([way(children('x', 'y', 'z')), fails]);
    expect(left).toEqual(['1.x', 'failed at stage_2: no']);
    expect(trace).toEqual([
      {
        of: 'stage_1 Class1',
        children: [
          { document: '{"id":"1.x"}', trace: [{ of: 'stage_2 Class2', unchanged: true }] },
          { document: '{"id":"1.y"}', trace: [{ of: 'stage_2 Class2', failure: 'no' }] },
        ],
      },
    ]);
  });
});

describe('the trace of a document', () => {
  it('has no time for a stage whose condition the document does not meet', async () => {
    const only = { fields: ['id'], operator: 'must' as const, values: ['2'] };
    const { trace, millis } = await traceOf([{ process: mark('a'), config: { conditions: [only] } }, mark('b')]);
    expect(trace[0]).toEqual({ of: 'stage_1 Class1', skipped: 'condition' });
    expect(millis).toEqual(['undefined', 'number']);
  });

  it('shows no more documents after the maximum number of characters', async () => {
    const { trace } = await traceOf([mark('a'), mark('b'), children('x')], 30);
    expect(trace).toEqual([
      { of: 'stage_1 Class1', document: '{"id":"1","trail":["a"]}' },
      { of: 'stage_2 Class2', cut: true },
      { of: 'stage_3 Class3', unchanged: true, children: [{ trace: [] }] },
    ]);
  });
});
