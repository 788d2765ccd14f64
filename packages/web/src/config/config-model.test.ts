import { describe, expect, it } from 'vitest';
import { configModel, itemAt, itemWithId, shortClassName } from './config-model.ts';
import { ParsedConfig } from './parsed-config.ts';

const text = `# A config
common { fields: [a] }
connectors: [
  { class: com.kmwllc.lucille.connector.CSVConnector, name: c, pipeline: p1 } # one
  { class: "./mine.js#MyConnector", pipeline: none }
]
pipelines: [
  {
    name: p1
    stages: [
      { class: A, conditions: [{ fields: [x] }] }
      { class: B, name: b, enabled: false }
      \${common} { class: C }
    ]
  }
]
indexer { type: CSV, sendEnabled: no }
`;

function modelOf(text: string) {
  return configModel(new ParsedConfig(text));
}

describe('configModel', () => {
  it('has the connectors, stages and the indexer with their positions', () => {
    const { connectors, pipelines, indexer, links } = modelOf(text);
    const written = ({ range }: { range: { from: number; to: number } | undefined }) =>
      range && text.slice(range.from, range.to);
    expect(connectors).toMatchObject([
      { id: 'connectors.0', name: 'c', label: 'c', shortClass: 'CSVConnector', pipeline: 'p1' },
      { id: 'connectors.1', name: undefined, label: 'connector_2', shortClass: 'MyConnector', pipeline: 'none' },
    ]);
    expect(connectors.map(written)[1]).toBe('{ class: "./mine.js#MyConnector", pipeline: none }');
    const stages = pipelines[0]?.stages ?? [];
    expect(stages).toMatchObject([
      { label: 'stage_1', className: 'A', enabled: true, conditions: 1 },
      { label: 'b', className: 'B', enabled: false, conditions: 0 },
      { label: 'stage_2', className: 'C', enabled: true, path: ['pipelines', 0, 'stages', 2] },
    ]);
    expect(stages.map(written)).toEqual([
      '{ class: A, conditions: [{ fields: [x] }] }',
      '{ class: B, name: b, enabled: false }',
      '${common} { class: C }',
    ]);
    expect(indexer).toMatchObject({ type: 'CSV', label: 'CSV', enabled: false });
    expect(indexer && written(indexer)).toBe('{ type: CSV, sendEnabled: no }');
    expect(links).toEqual([
      { from: 'connectors.0', to: 'pipelines.0' },
      { from: 'pipelines.0', to: 'indexer' },
    ]);
  });

  it('finds the box at a position, and a box by its id', () => {
    const model = modelOf(text);
    expect(itemAt(model, text.indexOf('class: B'))?.id).toBe('pipelines.0.stages.1');
    expect(itemAt(model, text.indexOf('name: p1'))?.id).toBe('pipelines.0');
    expect(itemAt(model, text.indexOf('CSVConnector'))?.id).toBe('connectors.0');
    expect(itemAt(model, text.indexOf('sendEnabled'))?.id).toBe('indexer');
    expect(itemAt(model, 0)).toBeUndefined();
    expect(itemWithId(model, 'pipelines.0.stages.2')?.label).toBe('stage_2');
    expect(itemWithId(model, 'x')).toBeUndefined();
  });

  it('contains the valid parts of a text with mistakes', () => {
    const { pipelines, indexer } = modelOf(
      'pipelines: [{\n  name: p\n  stages: [\n    { class: A }\n    { class: \n    { class: B }\n  ]\n}]\nindexer { type: CSV }\n',
    );
    expect(pipelines[0]?.stages.map(({ className }) => className)).toContain('A');
    expect(pipelines[0]?.name).toBe('p');
    expect(indexer?.type).toBe('CSV');
    expect(modelOf('')).toEqual({ connectors: [], pipelines: [], indexer: undefined, links: [] });
    expect(modelOf('connectors: 1, pipelines: [2], indexer: x').pipelines).toHaveLength(1);
  });

  it('reads lists that are written as objects with numbers', () => {
    const { connectors } = modelOf('connectors { 1 { class: B }, 0 { class: A } }');
    expect(connectors.map(({ className, path }) => [className, path])).toEqual([
      ['A', ['connectors', '0']],
      ['B', ['connectors', '1']],
    ]);
  });
});

describe('shortClassName', () => {
  it('removes packages and modules', () => {
    expect(shortClassName('com.kmwllc.lucille.stage.CopyFields')).toBe('CopyFields');
    expect(shortClassName('./stages/mine.js#Mine')).toBe('Mine');
    expect(shortClassName('CopyFields')).toBe('CopyFields');
  });
});
