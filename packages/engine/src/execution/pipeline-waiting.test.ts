import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Document } from '../document/document.ts';
import { later, mark, type Process, pipelineOf, type StageSpec, send } from './stage-behaviours.test.lib.ts';

describe('children that a generator creates', () => {
  it('are generated on demand, each processed completely before the next one', async () => {
    const made: string[] = [];
    const pipeline = await pipelineOf(
      (document) =>
        document.id.includes('.')
          ? undefined
          : (function* () {
              for (const suffix of ['x', 'y']) {
                made.push(`make ${suffix}`);
                yield Document.create(`${document.id}.${suffix}`);
              }
            })(),
      (document) => void made.push(`see ${document.id}`),
    );
    await send(pipeline, ['1']);
    expect(made).toEqual(['make x', 'see 1.x', 'make y', 'see 1.y', 'see 1']);
  });

  it.each<[string, (process: Process) => Process]>([
    ['immediately', (process) => process],
    ['later', (process) => later(process)],
  ])('stop the generator, with its cleanup, if one of them fails %s', async (_, way) => {
    let closed = 0;
    const pipeline = await pipelineOf(
      () =>
        (function* () {
          try {
            for (let i = 0; ; i++) yield Document.create(String(i));
          } finally {
            closed++;
          }
        })(),
      way((document) => {
        if (document.id === '5') throw new Error('enough');
      }),
    );
    const { events } = await send(pipeline, ['p']);
    expect(events.at(-1)).toBe('failed p at stage_2: enough');
    expect(closed).toBe(1);
  });
});

describe('documents in flight', () => {
  it('never exceed the limit of the stage', async () => {
    let now = 0;
    let most = 0;
    const pipeline = await pipelineOf({
      maxInFlight: 4,
      process: async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
      },
    });
    await send(
      pipeline,
      Array.from({ length: 20 }, (_, i) => String(i)),
    );
    expect(most).toBe(4);
    expect(pipeline.inOrder).toBe(false);
  });

  it('are limited to one for a stage without maxInFlight', async () => {
    let now = 0;
    const pipeline = await pipelineOf(async () => {
      expect(++now).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    });
    expect((await send(pipeline, ['1', '2', '3'])).events).toHaveLength(6);
    expect(pipeline.inOrder).toBe(true);
  });

  it('leave in order through mixed stages, even if a later document is finished first', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => String(i));
    const reverse = (id: string) => 60 - 2 * Number(id);
    const pipeline = await pipelineOf(mark('a'), { process: later(mark('b'), reverse), maxInFlight: 8 }, mark('c'), {
      process: later(mark('d'), reverse),
      maxInFlight: 30,
    });
    const { events } = await send(pipeline, ids);
    expect(events.filter((line) => line.startsWith('out'))).toEqual(ids.map((id) => `out ${id} abcd`));
  });
});

describe('many children in a pipeline with waiting stages', () => {
  /** Returns a process function that generates children one at a time and counts them. */
  function manyChildren(count: number): { process: Process; made: () => number } {
    let made = 0;
    return {
      made: () => made,
      process: (document) =>
        document.id.includes('.')
          ? undefined
          : (function* () {
              for (let i = 0; i < count; i++) {
                made++;
                yield Document.create(`${document.id}.${i}`);
              }
            })(),
    };
  }

  const waiting: StageSpec = { process: later(() => undefined), maxInFlight: 8 };

  it.each([
    ['before it', (process: Process): StageSpec[] => [waiting, { process }]],
    ['after it', (process: Process): StageSpec[] => [{ process }, waiting]],
    ['around it', (process: Process): StageSpec[] => [waiting, { process }, waiting, { process: mark('a') }, waiting]],
    ['as it', (process: Process): StageSpec[] => [{ process: later(process), maxInFlight: 8 }, waiting]],
  ])('continue in windows, with a waiting stage %s', async (_, stages) => {
    const { process, made } = manyChildren(5000);
    const pipeline = await pipelineOf(...stages(process));
    let left = 0;
    let most = 0;
    await pipeline.process(
      ['p', 'q'].map((id) => Document.create(id)),
      {
        emit: () => {
          most = Math.max(most, made() - left++);
        },
        finished() {},
        failedDocument: (_document, error) => expect.unreachable(error.message),
      },
      () => false,
    );
    expect(left).toBe(10_002);
    expect(most).toBeLessThan(1000);
  });

  it('are no longer generated after a child has failed in a later stage', async () => {
    const { process, made } = manyChildren(5000);
    const pipeline = await pipelineOf({ process }, waiting, (document) => {
      if (document.id === 'p.300') throw new Error('enough');
    });
    const { events } = await send(pipeline, ['p', 'q']);
    expect(events.slice(0, 302)).toEqual([
      ...Array.from({ length: 300 }, (_, i) => `child p.${i}`),
      'failed p at stage_3: enough',
      'child q.0',
    ]);
    expect(events.slice(-2)).toEqual(['out q', 'finished q']);
    expect(made()).toBeLessThan(6000);
  });

  it('are no longer generated after the run has stopped', async () => {
    const { process, made } = manyChildren(5000);
    const pipeline = await pipelineOf({ process }, waiting);
    const events: string[] = [];
    let emitted = 0;
    await pipeline.process(
      ['p', 'q'].map((id) => Document.create(id)),
      {
        get full() {
          return emitted >= 600;
        },
        relieve: async () => false,
        emit: () => emitted++,
        finished: ({ id }) => events.push(`finished ${id}`),
        failedDocument: ({ id }, { code }) => events.push(`failed ${id} ${code}`),
      },
      () => false,
    );
    expect(events).toEqual(['failed p HR_RUN_CANCELLED', 'failed q HR_RUN_CANCELLED']);
    expect([emitted, made() < 1500]).toEqual([600, true]);
  });

  it('have the same results with any mix of waiting and synchronous stages', async () => {
    const step = fc.record({
      kind: fc.constantFrom('children', 'fail', 'drop', 'mark'),
      waits: fc.constantFrom(false, 'promise', 'flight'),
      every: fc.integer({ min: 2, max: 400 }),
      count: fc.constantFrom(1, 3, 300, 700),
    });
    const sizeOf = (id: string) => [...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 100_003;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const events = async (asGiven: boolean) => {
          let generations = 0;
          const specs = steps.map(({ kind, waits, every, count }, i): StageSpec => {
            // Limits the generating stages to two, because three would create too many children.
            const generates = kind === 'children' && generations++ < 2;
            const process: Process = (document) => {
              const hit = sizeOf(document.id + i) % every === 0;
              if (kind === 'mark') document.add('trail', String(i));
              else if (hit && kind === 'fail') throw new Error(`no ${document.id}`);
              else if (hit && kind === 'drop') document.drop();
              else if (generates && document.id.length < 6)
                return Array.from({ length: count }, (_, n) => Document.create(`${document.id}.${n}`));
            };
            if (!asGiven || waits === false) return { process };
            return { process: later(process), ...(waits === 'flight' ? { maxInFlight: 5 } : {}) };
          });
          return (await send(await pipelineOf(...specs), ['a', 'b', 'c'])).events;
        };
        expect(await events(true)).toEqual(await events(false));
      }),
      { numRuns: 60 },
    );
  });
});
