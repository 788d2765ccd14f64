import assert from 'node:assert/strict';
import type { StageClass } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { RESERVED_FIELDS } from '../document/names.ts';
import { makeStage, runStage, stageContext, toDocument } from './stage-harness.ts';

/**
 * Checks the contract of every stage. The test of each stage calls it with parameters and a document that the stage
 * changes.
 * - The stage can be started and stopped twice, as a new instance each time, with the same results (unless `random`).
 * - Unknown parameters are refused.
 * - The fields of the engine (id, run id) are unchanged.
 * - A document that leaves the stage shares no list or object with another document, or between two of its fields.
 * - A document that fails does not affect the next document.
 */
export async function assertStageContract(
  StageClass: StageClass,
  sample: { params: Record<string, unknown>; document: Record<string, unknown>; random?: boolean },
): Promise<void> {
  const { params, document } = sample;
  const first = await runStage(StageClass, params, [document]);
  const second = await runStage(StageClass, params, [document]);
  assert.equal(first[0]?.error, undefined, `the sample document failed: ${first[0]?.error}`);
  if (sample.random !== true) assert.deepEqual(second, first, 'the second start had a different result');

  assert.throws(
    () => makeStage(StageClass, { ...params, noSuchParameter: 1 }),
    /noSuchParameter/,
    'an unknown parameter was accepted',
  );

  const stage = makeStage(StageClass, params, stageContext());
  await stage.start?.();
  try {
    const input = toDocument({ ...document, run_id: 'the-run' });
    const children = [...((await stage.process(input)) ?? [])];
    assert.equal(input.id, document.id, 'the id was changed');
    assert.equal(input.runId, 'the-run', 'the run id was changed');
    assertNothingShared([...children, input]);

    const hostile = Document.create('hostile');
    for (const name of Object.keys(document)) if (!RESERVED_FIELDS.has(name)) hostile.set(name, [null, [], new Map()]);
    try {
      for (const _ of (await stage.process(hostile)) ?? []);
    } catch {
      // The stage may fail on these values. The test checks the next document.
    }
    const next = await stage.process(toDocument(document));
    for (const _ of next ?? []);
  } finally {
    await stage.stop?.();
  }
}

function assertNothingShared(documents: readonly Document[]): void {
  const seen = new Set<object>();
  const visit = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!(Array.isArray(value) || value instanceof Map || value instanceof Uint8Array)) return;
    assert.ok(!seen.has(value), `${where} shares its value with another field`);
    seen.add(value);
    if (value instanceof Map) for (const member of value.values()) visit(member, where);
    else if (Array.isArray(value)) for (const item of value) visit(item, where);
  };
  for (const document of documents) {
    for (const [i, value] of document.fieldValues.entries()) visit(value, `${document.id}.${document.fieldNames[i]}`);
  }
}
