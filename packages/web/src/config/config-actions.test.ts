import { applyChanges, EditError } from '@headrace/hocon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigEdit } from './config-actions.ts';
import {
  addConnector,
  addPipeline,
  addStage,
  moveComponent,
  removeComponent,
  removeParameter,
  setEnabled,
  setIndexer,
  setParameter,
} from './config-actions.ts';
import { configModel } from './config-model.ts';
import { knowledge } from './knowledge.test.lib.ts';
import { ParsedConfig } from './parsed-config.ts';

const copyFields = knowledge.component('stage', 'CopyFields')!;
const csvConnector = knowledge.component('connector', 'CSVConnector')!;
const csv = knowledge.component('indexer', 'CSV')!;

const text = `# A config
pipelines: [
  {
    name: p1
    stages: [
      # trims
      { class: TrimWhitespace, fields: [a] }
      { class: Concatenate, dest: d, formatString: "{a}" } # joins
    ]
  }
]
`;

/** Returns the text after an edit, with the selected part in brackets. */
function edited(text: string, edit: (config: ParsedConfig) => ConfigEdit): string {
  const { changes, select } = edit(new ParsedConfig(text));
  const after = applyChanges(text, changes);
  if (select === undefined) return after;
  return `${after.slice(0, select.from)}‹${after.slice(select.from, select.to)}›${after.slice(select.to)}`;
}

const pipelineOf = (config: ParsedConfig) => configModel(config).pipelines[0]!;
const stageOf = (config: ParsedConfig, index: number) => pipelineOf(config).stages[index]!;

describe('actions on stages', () => {
  it('add a stage with its required parameters', () => {
    expect(edited(text, (config) => addStage(config, pipelineOf(config), copyFields, knowledge, 1))).toBe(
      text.replace('[a] }\n', '[a] }\n      ‹{ class: CopyFields, fieldMapping: {} }›\n'),
    );
    expect(edited(text, (config) => addStage(config, pipelineOf(config), copyFields, knowledge))).toBe(
      text.replace('# joins\n', '# joins\n      ‹{ class: CopyFields, fieldMapping: {} }›\n'),
    );
    const json = '{\n  "pipelines": [\n    {\n      "name": "p",\n      "stages": []\n    }\n  ]\n}\n';
    expect(edited(json, (config) => addStage(config, pipelineOf(config), copyFields, knowledge))).toBe(
      json.replace('[]', '[\n        ‹{ "class": "CopyFields", "fieldMapping": {} }›\n      ]'),
    );
    const bare = 'pipelines: [{ name: p }]';
    expect(edited(bare, (config) => addStage(config, pipelineOf(config), copyFields, knowledge))).toContain(
      'stages: [‹{ class: CopyFields, fieldMapping: {} }›]',
    );
  });

  it('move and remove a stage with its comments', () => {
    const moved = edited(text, (config) => moveComponent(config, stageOf(config, 0), 1));
    expect(moved).toContain('# joins\n      # trims\n      { class: TrimWhitespace');
    expect(edited(moved, (config) => moveComponent(config, stageOf(config, 1), 0))).toBe(text);
    expect(edited(text, (config) => removeComponent(config, stageOf(config, 1)))).toBe(
      text.replace('      { class: Concatenate, dest: d, formatString: "{a}" } # joins\n', ''),
    );
  });

  it('turn a stage off and on', () => {
    const off = edited(text, (config) => setEnabled(config, stageOf(config, 0), false)).replace(/[‹›]/g, '');
    expect(off).toBe(text.replace('fields: [a] }', 'fields: [a], enabled: false }'));
    expect(stageOf(new ParsedConfig(off), 0).enabled).toBe(false);
    expect(edited(off, (config) => setEnabled(config, stageOf(config, 0), true))).toBe(text);
    expect(edited(text, (config) => setEnabled(config, stageOf(config, 0), true))).toBe(text);
  });

  it('set and remove parameters', () => {
    const set = edited(text, (config) => setParameter(config, stageOf(config, 0), ['fields'], ['a', 'b c']));
    expect(set).toBe(text.replace('fields: [a]', 'fields: [‹a, "b c"›]'));
    const added = edited(text, (config) =>
      setParameter(config, stageOf(config, 1), ['conditions'], [{ fields: ['x'], operator: 'must' }]),
    );
    expect(added).toContain('formatString: "{a}", conditions: [‹{ fields: [x], operator: must }›] } # joins');
    expect(edited(text, (config) => removeParameter(config, stageOf(config, 1), ['dest']))).toBe(
      text.replace('dest: d, ', ''),
    );
    expect(edited(text, (config) => removeParameter(config, stageOf(config, 1), ['none']))).toBe(text);
  });

  it('refuse texts that cannot be edited', () => {
    const shared = 'all: [{ class: A }]\npipelines: [{ name: p, stages: ${all} }]';
    const config = new ParsedConfig(shared);
    expect(() => removeComponent(config, stageOf(config, 0))).toThrow('comes from a substitution');
    const numbered = new ParsedConfig('pipelines: [{ name: p, stages { 0 { class: A } } }]');
    expect(() => removeComponent(numbered, stageOf(numbered, 0))).toThrow(EditError);
    const broken = new ParsedConfig(`${text}connectors: [`);
    expect(() => removeComponent(broken, stageOf(broken, 0))).toThrow('first correct the mistake on line 12');
  });

  it('result in the expected order of stages, for any moves', () => {
    const stages = fc.array(fc.record({ comment: fc.boolean(), tall: fc.boolean() }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(stages, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 4 }), (stages, moves) => {
        const lines = stages.map(({ comment, tall }, i) => {
          const stage = tall ? `{\n  class: A\n  name: s${i}\n}` : `{ class: A, name: s${i} }`;
          return `${comment ? `# about s${i}\n` : ''}${stage}`;
        });
        let now = `pipelines: [{ name: p, stages: [\n${lines.join('\n')}\n] }]`;
        const expected = stages.map((_, i) => `s${i}`);
        for (const [from, to] of moves.map(([a, b]) => [a % stages.length, b % stages.length] as const)) {
          const config = new ParsedConfig(now);
          now = applyChanges(now, moveComponent(config, stageOf(config, from), to).changes);
          expected.splice(to, 0, expected.splice(from, 1)[0]!);
        }
        expect(pipelineOf(new ParsedConfig(now)).stages.map(({ name }) => name)).toEqual(expected);
        for (const [i, { comment }] of stages.entries()) {
          if (comment) expect(now).toMatch(new RegExp(`# about s${i}\\n\\{[^}]*name: s${i}\\b`));
        }
      }),
    );
  });
});

describe('other actions', () => {
  it('add a connector, also to an empty text', () => {
    const wanted = 'connectors: [‹{ class: CSVConnector, pipeline: p1, path: "" }›]\n';
    expect(edited('', (config) => addConnector(config, csvConnector, knowledge, 'p1'))).toBe(wanted);
    expect(edited('connectors: []', (config) => addConnector(config, csvConnector, knowledge, undefined))).toBe(
      'connectors: [\n  ‹{ class: CSVConnector, path: "" }›\n]',
    );
  });

  it('add a pipeline', () => {
    expect(edited('', (config) => addPipeline(config, 'p1'))).toBe('pipelines: [‹{ name: p1, stages: [] }›]\n');
  });

  it('select an indexer and add its block', () => {
    const set = (text: string) => edited(text, (config) => setIndexer(config, csv, knowledge));
    expect(set('a: 1\n')).toBe('a: 1\nindexer: { type: CSV }\ncsv: {‹ path: "", columns: [] ›}\n');
    expect(set('indexer { type: Solr } # where\n')).toBe(
      'indexer { type: CSV } # where\ncsv: {‹ path: "", columns: [] ›}\n',
    );
    expect(set('indexer { class: SolrIndexer, batchSize: 5 }\ncsv { path: x }\n')).toBe(
      'indexer { batchSize: 5, type: CSV }\ncsv { path: x }\n',
    );
  });
});
