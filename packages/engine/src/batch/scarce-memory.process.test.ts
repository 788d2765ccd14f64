import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Type } from '../component/schema.ts';
import { Stage, type StageResult } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { MemoryLedger, type MemoryLimits, memoryLimits } from '../memory/memory-ledger.ts';
import { memoryOf, threadMemory } from '../memory/thread-memory.ts';
import { runPipeline } from '../testing/pipeline-harness.ts';
import { stageContext } from '../testing/stage-harness.ts';

// These tests collect garbage many times, which takes long in the large heap of the unit tests. So they run in a
// separate process.

const MIB = 2 ** 20;
const ledger = MemoryLedger.ofProcess();
let before: MemoryLimits;

beforeEach(() => {
  // Other tests of this process may have left documents.
  threadMemory.releaseDocuments();
  before = ledger.limits;
  ledger.setLimits(memoryLimits(32));
});
afterEach(() => {
  ledger.setLimits(before);
});

/** What a document does in a stage: how much memory it takes, how long it works, and whether it then fails. */
interface Visit {
  readonly pieces: readonly number[];
  readonly turns: number;
  readonly fails: boolean;
  readonly children: number;
}

/** A stage that does this for each document by its id. */
function stageOf(visits: ReadonlyMap<string, Visit>, maxInFlight: number): Stage {
  class Taking extends Stage {
    static override readonly parameters = Type.Object({});
    override readonly maxInFlight = maxInFlight;
    override process(document: Document): StageResult | Promise<StageResult> {
      const visit = visits.get(document.id);
      return visit === undefined ? undefined : this.#work(document, visit);
    }
    async #work(document: Document, { pieces, turns, fails, children }: Visit): Promise<StageResult> {
      for (const piece of pieces) {
        await memoryOf(document).take(piece);
        for (let i = 0; i < turns; i++) await new Promise(setImmediate);
      }
      if (fails) throw new Error('failed');
      return Array.from({ length: children }, (_, i) => Document.create(`${document.id}.${i}`));
    }
  }
  return new Taking({} as never, stageContext());
}

it('documents that take too much memory together all leave in order', async () => {
  const visit = fc.record({
    pieces: fc.array(fc.integer({ min: 0, max: MIB }), { maxLength: 4 }),
    turns: fc.nat(3),
    fails: fc.boolean(),
    children: fc.nat(2),
  });
  const ids = Array.from({ length: 12 }, (_, i) => String(i));
  const stage = fc.record({
    visits: fc.array(fc.option(visit, { nil: undefined }), { minLength: ids.length * 2, maxLength: ids.length * 2 }),
    maxInFlight: fc.constantFrom(1, 3, 16),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(stage, { minLength: 1, maxLength: 3 }), async (stages) => {
      const named = [...ids, ...ids.map((id) => `${id}.0`)];
      const made = stages.map(({ visits, maxInFlight }) => ({
        stage: stageOf(
          new Map(visits.flatMap((given, i) => (given === undefined ? [] : [[named[i] as string, given]]))),
          maxInFlight,
        ),
      }));
      const outcome = await runPipeline(made, [ids.map((id) => Document.create(id))], false);
      expect(outcome.counts.published).toBe(ids.length);
      const inputs = outcome.ids.filter((id) => !id.includes('.'));
      expect(inputs).toEqual([...inputs].sort((a, b) => Number(a) - Number(b)));
      // Every document fails only by its own fault.
      const wanted = ids.filter((id) => {
        const own = stages.map(({ visits }) => visits[Number(id)]);
        return own.every((given) => given?.fails !== true);
      });
      expect(wanted).toEqual(expect.arrayContaining(inputs));
      expect(outcome.failures.filter(({ position }) => position < 0)).toEqual([]);
      expect(ledger.taken).toBe(0);
      expect(ledger.takeReserve(999)).toBe(true);
      ledger.giveReserve(999);
      expect(threadMemory.isScarce).toBe(false);
    }),
    { numRuns: 25 },
  );
});

it('many documents with large values pass, and the memory never exceeds the limits', async () => {
  let most = 0;
  class Large extends Stage {
    static override readonly parameters = Type.Object({});
    override readonly maxInFlight = 16;
    override async process(document: Document): Promise<void> {
      await memoryOf(document).take(1.5 * MIB);
      most = Math.max(most, ledger.taken);
      await new Promise(setImmediate);
      await memoryOf(document).take(1.5 * MIB);
      most = Math.max(most, ledger.taken);
    }
  }
  const ids = Array.from({ length: 50 }, (_, i) => String(i));
  const outcome = await runPipeline(
    [{ stage: new Large({} as never, stageContext()) }],
    [ids.map((id) => Document.create(id))],
    false,
  );
  expect(outcome.ids).toEqual(ids);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(ledger.limits.thread);
});

it('a document with too large a value fails alone, with the limit', async () => {
  class Huge extends Stage {
    static override readonly parameters = Type.Object({});
    override readonly maxInFlight = 4;
    override async process(document: Document): Promise<void> {
      const size = document.id === '3' ? 20 * MIB : MIB;
      for (let taken = 0; taken < size; taken += MIB) await memoryOf(document).take(MIB);
    }
  }
  const ids = Array.from({ length: 8 }, (_, i) => String(i));
  const outcome = await runPipeline(
    [{ stage: new Huge({} as never, stageContext()) }],
    [ids.map((id) => Document.create(id))],
    false,
  );
  expect(outcome.ids).toEqual(ids.filter((id) => id !== '3'));
  expect(outcome.failures).toEqual([expect.objectContaining({ id: '3', at: 'stage_1' })]);
  expect(ledger.taken).toBe(0);
});

it('documents that have left keep no large values, although their batch still refers to them', async () => {
  class Fetching extends Stage {
    static override readonly parameters = Type.Object({});
    override async process(document: Document): Promise<Document[]> {
      const child = Document.create(`${document.id}.child`);
      for (const one of [document, child]) {
        await memoryOf(one).take(MIB);
        one.set('content', 'a small value, counted as a large one');
      }
      return [child];
    }
  }
  const documents = ['1', '2'].map((id) => Document.create(id));
  const outcome = await runPipeline([{ stage: new Fetching({} as never, stageContext()) }], [documents], false);
  expect(outcome.ids).toEqual(['1.child', '1', '2.child', '2']);
  expect(documents.map((document) => document.toJson())).toEqual(['{"id":"1"}', '{"id":"2"}']);
});
