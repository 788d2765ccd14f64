import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CatalogEntry } from '../component/catalog.ts';
import type { Registry } from '../component/registry.ts';
import { Type } from '../component/schema.ts';
import { Stage, type StageClass, type StageResult } from '../component/stage.ts';
import type { StageConfig } from '../config/ingest-config.ts';
import { Document } from '../document/document.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import { Pipeline } from './pipeline.ts';

type Process = (document: Document) => StageResult | Promise<StageResult>;

interface StageSpec {
  readonly process?: Process;
  readonly maxInFlight?: number;
  readonly start?: () => void | Promise<void>;
  readonly stop?: () => void | Promise<void>;
  readonly config?: Partial<StageConfig>;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A started pipeline of stages that behave as given; they are called stage_1, stage_2, … */
function pipelineOf(...specs: (StageSpec | Process)[]): Promise<Pipeline> {
  const classes = specs.map((given): StageClass => {
    const spec = typeof given === 'function' ? { process: given } : given;
    return class extends Stage {
      static override readonly parameters = Type.Object({});
      override readonly maxInFlight = spec.maxInFlight ?? 1;
      override process(document: Document): StageResult | Promise<StageResult> {
        return spec.process?.(document);
      }
      override start(): void | Promise<void> {
        return spec.start?.();
      }
      override stop(): void | Promise<void> {
        return spec.stop?.();
      }
    };
  });
  const stages = specs.map(
    (given, i): StageConfig => ({
      entry: { kind: 'stage', name: String(i) } as CatalogEntry,
      params: {},
      path: '',
      name: `stage_${i + 1}`,
      conditions: [],
      conditionPolicy: 'all',
      ...(typeof given === 'function' ? {} : given.config),
    }),
  );
  const registry = { load: async (entry: CatalogEntry) => classes[Number(entry.name)] } as unknown as Registry;
  const context = { runId: 'r', threadName: 'Worker-1', threadNumber: 1, trusted: true, log: () => silent };
  return Pipeline.start({ name: 'p', threads: undefined, stages }, registry, context);
}

/** Sends documents with these ids through; tells what happened, in order. */
async function send(pipeline: Pipeline, ids: readonly string[], stopped: () => boolean = () => false) {
  const told: string[] = [];
  const documents = ids.map((id) => {
    const document = Document.create(id);
    document.setRunId('r');
    return document;
  });
  const taken = await pipeline.process(
    documents,
    {
      emit: (document, isChild) => told.push(`${isChild ? 'child' : 'out'} ${document.id}${trailOf(document)}`),
      finished: (document) => told.push(`finished ${document.id}`),
      failedDocument: (document, error) => told.push(`failed ${document.id} at ${error.stage}: ${error.message}`),
    },
    stopped,
  );
  return { told, taken, documents };
}

const trailOf = (document: Document) => (document.has('trail') ? ` ${document.texts('trail').join('')}` : '');
const mark =
  (letter: string): Process =>
  (document) =>
    document.add('trail', letter);
const later =
  (process: Process, order?: (id: string) => number): Process =>
  async (document) => {
    for (let i = order?.(document.id) ?? 1; i > 0; i--) await Promise.resolve();
    return process(document);
  };

const children =
  (...suffixes: string[]): Process =>
  (document) =>
    document.id.includes('.') ? undefined : suffixes.map((suffix) => Document.create(`${document.id}.${suffix}`));

/** The same stages, at once, as promises, and with several documents in flight: all must give the same. */
const ways: [string, (process: Process) => StageSpec][] = [
  ['synchronous stages', (process) => ({ process })],
  ['stages that wait', (process) => ({ process: later(process) })],
  [
    'stages with documents in flight',
    (process) => ({ process: later(process, (id) => 10 - id.length), maxInFlight: 3 }),
  ],
];

describe.each(ways)('a pipeline of %s', (_, way) => {
  it('sends each document through every stage, in order', async () => {
    const pipeline = await pipelineOf(way(mark('a')), way(mark('b')), way(mark('c')));
    const { told, taken } = await send(pipeline, ['1', '22', '333']);
    expect(told).toEqual(['out 1 abc', 'finished 1', 'out 22 abc', 'finished 22', 'out 333 abc', 'finished 333']);
    expect(taken).toBe(3);
    expect(pipeline.statistics.map(({ name, processed, errors }) => [name, processed, errors])).toEqual([
      ['stage_1', 3, 0],
      ['stage_2', 3, 0],
      ['stage_3', 3, 0],
    ]);
  });

  it('sends children through the later stages, before their parent', async () => {
    const pipeline = await pipelineOf(way(mark('a')), way(children('x', 'y')), way(mark('b')));
    const { told } = await send(pipeline, ['1', '2']);
    expect(told).toEqual([
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

  it('gives children the run of their parent unless they have one', async () => {
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

  it('leaves dropped and skipped documents alone from then on', async () => {
    const pipeline = await pipelineOf(
      way((document) => (document.id === '1' ? document.drop() : document.id === '2' ? document.skip() : undefined)),
      way(mark('b')),
    );
    const { told, documents } = await send(pipeline, ['1', '2', '3']);
    expect(told).toEqual(['out 1', 'finished 1', 'out 2', 'finished 2', 'out 3 b', 'finished 3']);
    expect(documents.map((document) => [document.dropped, document.skipped])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  it('asks conditions before each stage, and does not count the documents that do not meet them', async () => {
    const only = { fields: ['id'], operator: 'must' as const, values: ['2'] };
    const pipeline = await pipelineOf(way(mark('a')), { ...way(mark('b')), config: { conditions: [only] } });
    const { told } = await send(pipeline, ['1', '2']);
    expect(told.filter((line) => line.startsWith('out'))).toEqual(['out 1 a', 'out 2 ab']);
    expect(pipeline.statistics.map(({ processed }) => processed)).toEqual([2, 1]);
  });

  it('fails one document without the others, naming the stage', async () => {
    const pipeline = await pipelineOf(
      way(mark('a')),
      way((document) => {
        if (document.id === '2') throw new Error('cannot');
      }),
    );
    const { told } = await send(pipeline, ['1', '2', '3']);
    expect(told).toEqual(['out 1 a', 'finished 1', 'failed 2 at stage_2: cannot', 'out 3 a', 'finished 3']);
    expect(pipeline.statistics.map(({ errors }) => errors)).toEqual([0, 1]);
  });

  it('fails a parent when a later stage fails on its child; what left before is out', async () => {
    const pipeline = await pipelineOf(
      way(children('x', 'y', 'z')),
      way((document) => {
        if (document.id.endsWith('y')) throw new Error('cannot');
      }),
    );
    const { told } = await send(pipeline, ['1', '2']);
    expect(told).toEqual(['child 1.x', 'failed 1 at stage_2: cannot', 'child 2.x', 'failed 2 at stage_2: cannot']);
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
    ['a number', 5, 'The stage gave a number where children are expected'],
    ['a document', Document.create('x'), 'The stage gave a document where children are expected'],
    ['true', true, 'The stage gave a boolean where children are expected'],
    [
      'an async generator',
      (async function* () {})(),
      'The stage gave [object AsyncGenerator] where children are expected',
    ],
    ['plain objects', [{ id: 1 }], 'The stage emitted [object Object] without a valid id'],
    ['null among the children', [null], 'The stage emitted a object without a valid id'],
    ['a child with an empty id', [Document.create('')], 'The stage emitted a document without a valid id'],
  ])('fails a document for which a stage gives %s', async (_, given, message) => {
    const pipeline = await pipelineOf(way(() => given as never));
    const { told } = await send(pipeline, ['1']);
    expect(told).toEqual([`failed 1 at stage_1: ${message}`]);
  });

  it('takes null for no children', async () => {
    const pipeline = await pipelineOf(
      way(() => null as never),
      way(mark('b')),
    );
    expect((await send(pipeline, ['1'])).told).toEqual(['out 1 b', 'finished 1']);
  });

  it('fails a document whose generator of children fails, after what it made', async () => {
    const pipeline = await pipelineOf(
      way((document) =>
        (function* () {
          yield Document.create(`${document.id}.x`);
          throw new Error('no more');
        })(),
      ),
    );
    expect((await send(pipeline, ['1'])).told).toEqual(['child 1.x', 'failed 1 at stage_1: no more']);
  });
});

describe('children that are made one by one', () => {
  it('are pulled as they are needed, each to the end before the next', async () => {
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
    ['at once', (process) => process],
    ['later', (process) => later(process)],
  ])('end cleanly when one of them fails %s', async (_, way) => {
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
    const { told } = await send(pipeline, ['p']);
    expect(told.at(-1)).toBe('failed p at stage_2: enough');
    expect(closed).toBe(1);
  });
});

describe('documents in flight', () => {
  it('are never more than the stage says', async () => {
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

  it('are one for stages that do not say', async () => {
    let now = 0;
    const pipeline = await pipelineOf(async () => {
      expect(++now).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    });
    expect((await send(pipeline, ['1', '2', '3'])).told).toHaveLength(6);
    expect(pipeline.inOrder).toBe(true);
  });

  it('come out in order, whichever is done first, through mixed stages', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => String(i));
    const reverse = (id: string) => 60 - 2 * Number(id);
    const pipeline = await pipelineOf(mark('a'), { process: later(mark('b'), reverse), maxInFlight: 8 }, mark('c'), {
      process: later(mark('d'), reverse),
      maxInFlight: 30,
    });
    const { told } = await send(pipeline, ids);
    expect(told.filter((line) => line.startsWith('out'))).toEqual(ids.map((id) => `out ${id} abcd`));
  });
});

describe('many children where stages wait', () => {
  /** Makes children without a list of them; tells how many it has made. */
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
    ['behind it', (process: Process): StageSpec[] => [{ process }, waiting]],
    ['around it', (process: Process): StageSpec[] => [waiting, { process }, waiting, { process: mark('a') }, waiting]],
    ['as it', (process: Process): StageSpec[] => [{ process: later(process), maxInFlight: 8 }, waiting]],
  ])('go on in windows: a stage that waits %s', async (_, stages) => {
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

  it('are made no more when one has failed further on', async () => {
    const { process, made } = manyChildren(5000);
    const pipeline = await pipelineOf({ process }, waiting, (document) => {
      if (document.id === 'p.300') throw new Error('enough');
    });
    const { told } = await send(pipeline, ['p', 'q']);
    expect(told.slice(0, 302)).toEqual([
      ...Array.from({ length: 300 }, (_, i) => `child p.${i}`),
      'failed p at stage_3: enough',
      'child q.0',
    ]);
    expect(told.slice(-2)).toEqual(['out q', 'finished q']);
    expect(made()).toBeLessThan(6000);
  });

  it('end when no more is wanted', async () => {
    const { process, made } = manyChildren(5000);
    const pipeline = await pipelineOf({ process }, waiting);
    const told: string[] = [];
    let emitted = 0;
    await pipeline.process(
      ['p', 'q'].map((id) => Document.create(id)),
      {
        get full() {
          return emitted >= 600;
        },
        relieve: async () => false,
        emit: () => emitted++,
        finished: ({ id }) => told.push(`finished ${id}`),
        failedDocument: ({ id }, { code }) => told.push(`failed ${id} ${code}`),
      },
      () => false,
    );
    expect(told).toEqual(['failed p HR_RUN_CANCELLED', 'failed q HR_RUN_CANCELLED']);
    expect([emitted, made() < 1500]).toEqual([600, true]);
  });

  it('become the same in whatever stages wait', async () => {
    const step = fc.record({
      kind: fc.constantFrom('children', 'fail', 'drop', 'mark'),
      waits: fc.constantFrom(false, 'promise', 'flight'),
      every: fc.integer({ min: 2, max: 400 }),
      count: fc.constantFrom(1, 3, 300, 700),
    });
    const sizeOf = (id: string) => [...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 100_003;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const told = async (asGiven: boolean) => {
          let generations = 0;
          const specs = steps.map(({ kind, waits, every, count }, i): StageSpec => {
            // More than two generations of hundreds would be too many.
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
          return (await send(await pipelineOf(...specs), ['a', 'b', 'c'])).told;
        };
        expect(await told(true)).toEqual(await told(false));
      }),
      { numRuns: 60 },
    );
  });
});

describe('stopping', () => {
  it('takes no further document', async () => {
    const pipeline = await pipelineOf(mark('a'));
    let asked = 0;
    const { told, taken, documents } = await send(pipeline, ['1', '2', '3'], () => asked++ === 2);
    expect(taken).toBe(2);
    expect(told).toHaveLength(4);
    expect(documents[2]?.has('trail')).toBe(false);
  });

  it('stops every stage, and tells the first error when all are stopped', async () => {
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

describe('starting', () => {
  it('names the stage that cannot start, and stops those that have', async () => {
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

  it('of no stages is fine', async () => {
    expect((await send(await pipelineOf(), ['1'])).told).toEqual(['out 1', 'finished 1']);
  });
});
