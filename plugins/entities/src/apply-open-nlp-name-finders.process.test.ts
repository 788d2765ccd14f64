import { fileURLToPath } from 'node:url';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ApplyOpenNLPNameFinders } from './apply-open-nlp-name-finders.ts';

const path = (name: string) => fileURLToPath(new URL(`testing/${name}`, import.meta.url));

async function apply(params: object, fields: object) {
  const [outcome] = await runStage(ApplyOpenNLPNameFinders, { ...params }, [{ id: '1', ...fields }]);
  if (outcome?.error !== undefined) throw new Error(outcome.error);
  return JSON.parse(outcome?.documents[0] as string);
}

describe('ApplyOpenNLPNameFinders with the engine onnx', () => {
  // The model has random weights.
  const onnx = {
    textField: 'text',
    engine: 'onnx',
    model: path('token-model'),
    models: { people: 'per', places: 'LOC' },
  };
  const text = 'U.S. in Łódź met';

  it('satisfies the stage contract', async () => {
    await assertStageContract(ApplyOpenNLPNameFinders, { params: onnx, document: { id: '1', text } });
  });

  it('writes the names of a type to its field, with their positions', async () => {
    const { people, places, details } = await apply({ ...onnx, detailsField: 'details' }, { text: ['x', text] });
    expect([people, places]).toEqual([
      ['.', 'met'],
      ['x', 'in'],
    ]);
    expect(details.at(-1)).toMatchObject({ field: 'places', name: 'in', value: 1, start: 5, end: 7 });
    expect(details.at(-1).score).toBeCloseTo(0.98324, 4);
    expect((await apply({ ...onnx, minScore: 0.8 }, { text })).people).toBe('.');
  });

  it('does not start with a type or a device that does not exist', async () => {
    await expect(apply({ ...onnx, models: { a: 'MISC' } }, { text })).rejects.toThrow('does not find MISC');
    const device = process.platform === 'win32' ? 'coreml' : 'dml';
    await expect(apply({ ...onnx, device }, { text })).rejects.toThrow(
      `device ${device} cannot be used: it exists only on `,
    );
    await expect(apply({ ...onnx, model: 'none' }, { text })).rejects.toThrow('Cannot load the model in none');
  });

  it('requires the folder of the model', () => {
    expect(() => makeStage(ApplyOpenNLPNameFinders, { ...onnx, model: undefined })).toThrow('needs model');
  });
});
