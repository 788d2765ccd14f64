import { applyChanges } from '@headrace/hocon';
import { describe, expect, it } from 'vitest';
import { type ConfigProblem, fixesOf, pathOf, spanOfProblem } from './config-fixes.ts';
import { knowledge } from './knowledge.test.lib.ts';
import { ParsedConfig } from './parsed-config.ts';

/** Returns the titles of the fixes of a problem at the mark `|`, and the text after the first one. */
function fix(marked: string, problem: Partial<ConfigProblem>) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const before = text.slice(0, Math.max(0, offset)).split('\n');
  const place = offset < 0 ? {} : { line: before.length, column: before.at(-1)!.length + 1 };
  const config = new ParsedConfig(text);
  const whole = { severity: 'error' as const, code: '', path: '', message: '', ...place, ...problem };
  const fixes = fixesOf(config, whole, knowledge);
  const [first] = fixes;
  const after = first === undefined ? undefined : applyChanges(text, first.changes);
  const selected = first?.select && after?.slice(first.select.from, first.select.to);
  return { titles: fixes.map(({ title }) => title), after, selected };
}

const stages = (inner: string) => `pipelines: [{ name: p, stages: [${inner}] }]`;
const stage = 'pipelines[0].stages[0]';

describe('fixesOf', () => {
  it('replaces a name with the one that the hint suggests', () => {
    const code = 'HR_CONFIG_UNKNOWN_PARAMETER';
    const path = `${stage}.feilds`;
    expect(fix(stages('{ |feilds: [a] }'), { code, path, hint: 'Did you mean fields?' })).toMatchObject({
      titles: ['Replace with "fields"', 'Remove "feilds"'],
      after: stages('{ fields: [a] }'),
    });
    expect(fix(stages('{ |"feilds": [a] }'), { code, path, hint: 'Did you mean fields?' }).after).toBe(
      stages('{ "fields": [a] }'),
    );
    const unknown = { code: 'HR_CONFIG_UNKNOWN_CLASS', path: `${stage}.class`, hint: 'Did you mean CopyFields?' };
    expect(fix(stages('{ class: |CopyField }'), unknown).after).toBe(stages('{ class: CopyFields }'));
    expect(fix(stages('{ class: |"CopyField" }'), unknown).after).toBe(stages('{ class: "CopyFields" }'));
    const value = { code: 'HR_CONFIG_INVALID_VALUE', path: `${stage}.operator`, hint: 'Did you mean "must_not"?' };
    expect(fix(stages('{ operator: |not }'), value).after).toBe(stages('{ operator: must_not }'));
    const section = {
      code: 'HR_CONFIG_MISSING_CLASS',
      path: 'indexer',
      hint: 'Did you mean indexer instead of indexr?',
    };
    expect(fix('indexr { type: CSV }', section).after).toBe('indexer { type: CSV }');
    const block = { code: 'HR_CONFIG_MISSING_SECTION', path: 'CSV', hint: 'Rename CSV to csv.' };
    expect(fix('|CSV { path: x }', block)).toMatchObject({ titles: ['Replace with "csv"'], after: 'csv { path: x }' });
  });

  it('removes parameters that are unknown or have no effect', () => {
    const unknown = { code: 'HR_CONFIG_UNKNOWN_PARAMETER', path: `${stage}.x`, hint: 'Known parameters: fields.' };
    expect(fix(stages('{ class: A, |x: 1 }'), unknown)).toMatchObject({
      titles: ['Remove "x"'],
      after: stages('{ class: A }'),
    });
    const unused = { code: 'HR_CONFIG_UNUSED', path: 'solr', message: 'it has no effect', hint: 'Remove it.' };
    expect(fix('|solr { url: x }\na: 1', unused).after).toBe('a: 1');
    const unfed = { code: 'HR_CONFIG_UNUSED', path: 'pipelines[0]', message: 'No connector feeds the pipeline p' };
    expect(fix(stages(''), unfed).titles).toEqual([]);
  });

  it('adds a missing key, and selects its value', () => {
    const code = 'HR_CONFIG_MISSING_PARAMETER';
    const message = 'Config is missing required property fieldMapping';
    expect(fix(stages('|{ class: CopyFields }'), { code, path: stage, message })).toEqual({
      titles: ['Add "fieldMapping"'],
      after: stages('{ class: CopyFields, fieldMapping: {} }'),
      selected: '',
    });
    const name = { code, path: 'pipelines[0].name', message: 'The pipeline has no name' };
    expect(fix('pipelines: [|{ stages: [] }]', name).after).toBe('pipelines: [{ stages: [], name: "" }]');
    const sections = { code: 'HR_CONFIG_MISSING_SECTION', path: 'connectors', hint: 'Add connectors: [].' };
    expect(fix('a: 1\n', sections).after).toBe('a: 1\nconnectors: []\n');
    const csv = { code: 'HR_CONFIG_MISSING_SECTION', path: 'csv', hint: 'Add csv { path: …, columns: … }.' };
    expect(fix('indexer { type: CSV }\n', csv).after).toBe('indexer { type: CSV }\ncsv: { path: "", columns: [] }\n');
    const noClass = { code: 'HR_CONFIG_MISSING_CLASS', path: stage, hint: 'Add class: "…".' };
    expect(fix(stages('|{ name: x }'), noClass).after).toBe(stages('{ name: x, class: "" }'));
    const noType = { code: 'HR_CONFIG_MISSING_CLASS', path: 'indexer', hint: 'Add indexer { type: "…" }.' };
    expect(fix('', noType).after).toBe('indexer.type: ""\n');
  });

  it('connects connectors and pipelines', () => {
    const text = 'connectors: [{ class: A }], pipelines: [{ name: p1, stages: [] }]';
    const missing = { code: 'HR_CONFIG_MISSING_PARAMETER', path: 'connectors[0]', message: 'no pipeline' };
    const after = text.replace('A }', 'A, pipeline: p1 }');
    expect(fix(text, { ...missing, hint: 'Add pipeline: p1.' }).after).toBe(after);
    expect(fix(text, { ...missing, hint: 'Add pipeline: ….' }).titles).toEqual([]);
    const unfed = { code: 'HR_CONFIG_UNUSED', path: 'pipelines[0]', hint: 'Add pipeline: p1 to a connector.' };
    expect(fix(text, unfed).after).toBe(after);
    const wrong = {
      ...{ code: 'HR_CONFIG_MISSING_PIPELINE', path: 'connectors[0].pipeline' },
      hint: 'Did you mean one? Known pipelines: one, two.',
    };
    const two = 'pipelines: [{ name: one }, { name: two }], connectors: [{ pipeline: |on }]';
    expect(fix(two, wrong).titles).toEqual(['Replace with "one"', 'Replace with "two"']);
  });

  it('writes a value as a list, and offers the allowed values', () => {
    const list = { code: 'HR_CONFIG_WRONG_TYPE', path: `${stage}.fields`, hint: 'Write it in brackets: fields: [a]' };
    expect(fix(stages('{ fields: |a }'), list).after).toBe(stages('{ fields: [a] }'));
    const choice = { code: 'HR_CONFIG_INVALID_VALUE', path: `${stage}.updateMode`, message: 'must be one of' };
    expect(fix(stages('{ class: CopyFields, updateMode: |x }'), choice).titles).toEqual([
      'Replace with "overwrite"',
      'Replace with "append"',
    ]);
  });

  it('offers no fix for a place that cannot be edited', () => {
    const hint = 'Did you mean fields?';
    expect(fix('|a: 1', { hint, file: 'base.conf' }).titles).toEqual([]);
    const missing = { code: 'HR_CONFIG_MISSING_PARAMETER', path: stage, message: 'required property x' };
    expect(fix('s = [{ class: A }]\npipelines: [{ stages: ${s} }]', missing).titles).toEqual([]);
    const unknown = { code: 'HR_CONFIG_UNKNOWN_PARAMETER', path: 'csv.pth', hint: 'Did you mean path?' };
    expect(fix('csv { |pth: x }\na: [', unknown)).toMatchObject({
      titles: ['Replace with "path"'],
      after: 'csv { path: x }\na: [',
    });
    expect(fix('a: [', { code: 'HR_CONFIG_SYNTAX', hint: 'close it with ]' }).titles).toEqual([]);
  });
});

describe('spanOfProblem', () => {
  it('returns the key, the value or the word at the position', () => {
    const config = new ParsedConfig('a.b: "x y"\nc: [1, two words]\n');
    const at = (line: number, column: number) => {
      const span = spanOfProblem(config, { severity: 'error', code: '', path: '', message: '', line, column });
      return span && config.text.slice(span.from, span.to);
    };
    expect([at(1, 1), at(1, 6), at(2, 8), at(2, 4), at(9, 1)]).toEqual(['a.b', '"x y"', 'two words', '[', undefined]);
  });
});

describe('pathOf', () => {
  it('reads the paths of problems', () => {
    expect(pathOf('pipelines[0].stages[12]."a.b".c')).toEqual(['pipelines', 0, 'stages', 12, 'a.b', 'c']);
    expect(pathOf('')).toEqual([]);
  });
});
