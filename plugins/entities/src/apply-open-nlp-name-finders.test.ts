import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ApplyOpenNLPNameFinders } from './apply-open-nlp-name-finders.ts';

const path = (name: string) => fileURLToPath(new URL(`testing/${name}`, import.meta.url));
const openNlp = {
  textField: 'text',
  tokenizerPath: path('tokens.bin'),
  models: { people: path('person.bin'), names: path('names.bin') },
};
const compromise = {
  textField: 'text',
  engine: 'compromise',
  models: { people: 'en-ner-person.bin', places: 'location', companies: '/models/en-ner-organization.bin' },
};
const TEXT = 'The mayor of Lyon, Maria Novak, said "no" on 3 May 2020.';

async function apply(params: object, fields: object) {
  const [outcome] = await runStage(ApplyOpenNLPNameFinders, { ...params }, [{ id: '1', ...fields }]);
  if (outcome?.error !== undefined) throw new Error(outcome.error);
  return JSON.parse(outcome?.documents[0] as string);
}

describe.each([
  ['opennlp', openNlp],
  ['compromise', compromise],
])('ApplyOpenNLPNameFinders with the engine %s', (_, params) => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(ApplyOpenNLPNameFinders, { params: { ...params }, document: { id: '1', text: TEXT } });
  });

  it.each([{}, { text: null }, { text: '' }, { text: [] }, { text: 'in the' }])(
    'does not change a document with %j',
    async (fields) => {
      expect(await apply(params, fields)).toEqual({ id: '1', ...fields });
    },
  );

  it('writes each name once, and searches all values', async () => {
    const text = ['Yesterday Anna Smith met Peter in Rome.', 'Yesterday Anna Smith met Peter in Rome.'];
    const { people } = await apply(params, { text });
    expect(people).toEqual(['Anna Smith', 'Peter']);
  });

  it('writes the places of names to detailsField', async () => {
    const { details } = await apply({ ...params, detailsField: 'details' }, { text: ['x', TEXT] });
    const maria = details.find(({ field }: { field: string }) => field === 'people');
    expect(maria).toMatchObject({ field: 'people', name: 'Maria Novak', value: 1 });
    expect(TEXT.slice(maria.start, maria.end)).toBe('Maria Novak');
  });
});

describe('ApplyOpenNLPNameFinders', () => {
  it('separates the words of a name with single spaces, and adds to fields that exist', async () => {
    const text = "Everyone knew why George  O'Neil left Rome at 10:30.";
    const { people } = await apply(openNlp, { text, people: 'Eve' });
    expect(people).toEqual(['Eve', "George O ' Neil"]);
  });

  it('replaces fields with updateMode overwrite', async () => {
    const { people } = await apply({ ...openNlp, updateMode: 'overwrite' }, { text: TEXT, people: 'Eve' });
    expect(people).toBe('Maria Novak');
  });

  it('skips names below minScore', async () => {
    const params = { ...openNlp, models: { names: path('names.bin') }, detailsField: 'details' };
    const all = (await apply(params, { text: TEXT })).details.map(({ score }: { score: number }) => score);
    const least = Math.max(...all);
    const { details } = await apply({ ...params, minScore: least }, { text: TEXT });
    expect(all.length).toBeGreaterThan(1);
    expect(details.map(({ score }: { score: number }) => score)).toEqual([least]);
  });

  it('does not depend on the documents before', async () => {
    const documents = [TEXT, TEXT].map((text) => ({ id: '1', text }));
    const [first, second] = await runStage(ApplyOpenNLPNameFinders, { ...openNlp, detailsField: 'd' }, documents);
    expect(second).toEqual(first);
  });

  it('finds people, places and organizations without models, without punctuation around them', async () => {
    const text =
      "Yesterday John Smith met Angela Merkel in Berlin. He works for Microsoft. Germany's parliament, in the U.S., agreed.";
    expect(await apply(compromise, { text })).toEqual({
      id: '1',
      text,
      people: ['John Smith', 'Angela Merkel'],
      places: ['Berlin', 'Germany'],
      companies: ['Microsoft', 'U.S.'],
    });
  });

  it('finds names in long texts without models, in a time that grows with the length only', async () => {
    const text = `${' '.repeat(300_000)}${'John Smith met Angela Merkel in Berlin. '.repeat(300)}`;
    const { details } = await apply({ ...compromise, detailsField: 'details' }, { text });
    const found = details.map(({ start, end }: { start: number; end: number }) => text.slice(start, end));
    expect(found.filter((name: string) => name === 'Angela Merkel')).toHaveLength(300);
  });

  it('does not start with a file that is missing or is no model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'models-'));
    const wrong = join(folder, 'x.bin');
    writeFileSync(wrong, 'no zip');
    const start = (models: object) => apply({ ...openNlp, models }, { text: TEXT });
    await expect(start({ a: join(folder, 'none.bin') })).rejects.toThrow('none.bin');
    await expect(start({ a: wrong })).rejects.toMatchObject({
      message: expect.stringContaining(`Cannot read the model ${wrong}`),
      hint: expect.stringContaining('Name a .bin file of OpenNLP'),
    });
    await expect(start({ a: path('tokens.bin') })).rejects.toThrow('has no file nameFinder.model');
    rmSync(folder, { recursive: true });
  });

  it.each([
    [{ tokenizerPath: undefined }, /^tokenizerPath: .*needs tokenizerPath/],
    [{ models: {} }, /models/],
    [{ models: { id: 'x' } }, /^models\.id: .*reserved/],
    [{ detailsField: 'run_id' }, /^detailsField: .*reserved/],
    [
      { engine: 'compromise', models: { amounts: 'en-ner-money.bin' } },
      /^models\.amounts: .*does not know what to find/,
    ],
    [{ minScore: 2 }, /^minScore: /],
  ])('refuses the parameters %j', (more, message) => {
    const params = JSON.parse(JSON.stringify({ ...openNlp, ...more }));
    expect(() => makeStage(ApplyOpenNLPNameFinders, params)).toThrow(message);
  });
});
