import { describe, expect, it } from 'vitest';
import { completionsAt } from './config-completions.ts';
import { knowledge } from './knowledge.test.lib.ts';
import { ParsedConfig } from './parsed-config.ts';

/** Returns the completions at the mark `|` of a text, by label. */
function at(marked: string, knownFields: string[] = []) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const found = completionsAt(new ParsedConfig(text), offset, knowledge, { knownFields });
  const options = found?.options ?? [];
  return {
    labels: options.map(({ label }) => label),
    option: (label: string) => options.find((one) => one.label === label)!,
    /** Returns the text after a completion was chosen, with the selected part in brackets. */
    after: (label: string) => {
      const { text: insert, select } = options.find((one) => one.label === label)!.insertion;
      const { from, to } = select;
      const shown = `${insert.slice(0, from)}‹${insert.slice(from, to)}›${insert.slice(to)}`;
      return text.slice(0, found!.from) + shown + text.slice(found!.to);
    },
  };
}

const pipeline = (stages: string, rest = '') => `pipelines: [{ name: p1, stages: [${stages}] }]${rest}`;

describe('completions of keys', () => {
  it('offer the blocks of the config that are not given, required ones first', () => {
    expect(at('|').labels).toEqual(['connectors', 'pipelines', 'indexer', 'csv', 'solr', 'worker']);
    expect(at('indexer { type: Solr }\n|').labels).toEqual(['connectors', 'pipelines', 'solr', 'worker']);
    expect(at('con|').after('connectors')).toBe('connectors: [‹›]');
    expect(at('wor| { threads: 1 }').after('worker')).toBe('worker‹› { threads: 1 }');
    expect(at('x = 1\n|').after('worker')).toBe('x = 1\nworker = { ‹› }');
    expect(at('|').option('connectors')).toMatchObject({
      kind: 'block',
      required: true,
      detail: 'list of objects, required',
    });
  });

  it('offer the parameters of the class that are not given', () => {
    const stage = at(pipeline('{ class: CopyFields, | }'));
    expect(stage.labels).toEqual(['fieldMapping', 'updateMode', 'name', 'enabled', 'conditions']);
    expect(stage.option('updateMode').info).toBe(
      '**updateMode** (string, optional)\n\nWhat happens.\n\nValues: `overwrite`, `append`. Default: `overwrite`.',
    );
    expect(at(pipeline('{ class: com.kmwllc.lucille.stage.CopyFields, name: x, up| }')).labels).not.toContain('name');
    expect(at(pipeline('{ class: CopyFields, en| }')).after('enabled')).toContain('enabled: ‹false› }');
    expect(at(pipeline('{ | }')).labels).toEqual(['class', 'name', 'enabled', 'conditions']);
    expect(at(pipeline('{ class: Unknown, | }')).labels).toEqual(['name', 'enabled', 'conditions']);
    expect(at(pipeline('{ class: CopyFields, conditions: [{ | }] }')).labels).toEqual(['fields', 'operator']);
    expect(at('connectors: [{ class: CSVConnector, | }]').labels[0]).toBe('path');
    expect(at('indexer { type: CSV }, csv { | }').labels).toEqual(['path', 'columns', 'append']);
    expect(at('csv.pa|').after('path')).toBe('csv.path: ‹›');
    expect(at('worker { | }').labels).toEqual(['threads']);
  });

  it('offer fields as keys of a mapping', () => {
    const stages = '{ class: TrimWhitespace, fields: [a, b] }, { class: CopyFields, fieldMapping { a: c, | } }';
    expect(at(pipeline(stages), ['col']).labels).toEqual(['col', 'b', 'id']);
    expect(at(pipeline(stages)).after('b')).toContain('{ a: c, b: ‹› }');
  });

  it('keep JSON valid', () => {
    const json = '{\n  "indexer": { "type": "CSV" },\n  |\n  "worker": {}\n}';
    expect(at(json).after('connectors')).toContain('\n  "connectors": [‹›],\n  "worker"');
    expect(at('{"indexer": {"type": "CSV", "send|"}}').after('sendEnabled')).toContain(
      '"CSV", "sendEnabled": ‹false›}}',
    );
    expect(at('{"csv": {|}}').after('path')).toBe('{"csv": {"path": "‹›"}}');
    expect(at('{"csv": {"pa|": 1}}').after('path')).toBe('{"csv": {"path"‹›: 1}}');
  });
});

describe('completions of values', () => {
  it('offer the classes of a kind, and the types of indexers', () => {
    expect(at(pipeline('{ class: | }')).labels).toEqual(['Concatenate', 'CopyFields', 'TrimWhitespace']);
    expect(at(pipeline('{ class: Co| }')).after('CopyFields')).toContain('{ class: CopyFields‹› }');
    expect(at(pipeline('{ class: | }')).option('CopyFields').detail).toBe('CopyFields does something.');
    expect(at('connectors: [{ class: "| }]').after('CSVConnector')).toBe('connectors: [{ class: "CSVConnector"‹› }]');
    expect(at('indexer { type: | }').labels).toEqual(['CSV', 'Solr']);
    expect(at('indexer { class: | }').labels).toEqual(['CSVIndexer', 'SolrIndexer']);
  });

  it('offer whole elements in lists of components', () => {
    expect(at('connectors: [|]').after('CSVConnector')).toBe('connectors: [{ class: CSVConnector, path: "‹›" }]');
    expect(at(pipeline('\n|\n')).after('CopyFields')).toContain('{ class: CopyFields, fieldMapping: { ‹› } }');
    expect(at('{"connectors": [|]}').after('CSVConnector')).toBe(
      '{"connectors": [{ "class": "CSVConnector", "path": "‹›" }]}',
    );
  });

  it('offer listed values, booleans and defaults', () => {
    expect(at(pipeline('{ class: CopyFields, updateMode: | }')).labels).toEqual(['overwrite', 'append']);
    expect(at(pipeline('{ class: CopyFields, updateMode: | }')).option('overwrite').detail).toBe('default');
    expect(at(pipeline('{ class: CopyFields, enabled: | }')).labels).toEqual(['true', 'false']);
    expect(at('worker { threads: | }').labels).toEqual(['2']);
    expect(at(pipeline('{ class: CopyFields, conditions: [{ operator: | }] }')).labels).toEqual(['must', 'must_not']);
  });

  it('offer the names of pipelines', () => {
    expect(at(`${pipeline('')}\nconnectors: [{ pipeline: | }]`).labels).toEqual(['p1']);
  });

  it('offer the fields of connectors and earlier stages', () => {
    const connector = '\nconnectors: [{ class: CSVConnector, pipeline: p1 }, { pipeline: p2, lineNumberField: other }]';
    const stages = [
      '{ class: Concatenate, dest: title, formatString: x }',
      '{ class: CopyFields, fieldMapping { a: [b, c] }, conditions: [{ fields: [d] }] }',
      '{ class: TrimWhitespace, fields: [a, |] }',
      '{ class: TrimWhitespace, fields: [later] }',
    ];
    const found = at(pipeline(stages.join(', '), connector), ['column 1']);
    expect(found.labels).toEqual(['column 1', 'csvLineNumber', 'title', 'b', 'c', 'd', 'id']);
    expect(found.after('column 1')).toContain('[a, "column 1"‹›]');
    expect(at(pipeline('{ class: TrimWhitespace, fields: [a] }, { conditions: [{ fields: [|] }] }')).labels).toEqual([
      'a',
      'id',
    ]);
  });

  it('offer fields to connectors and indexers', () => {
    expect(at('connectors: [{ class: CSVConnector, lineNumberField: | }]', ['col']).labels).toEqual([
      'csvLineNumber',
      'col',
    ]);
    const columns = '\nindexer { type: CSV }\ncsv { columns: [|] }';
    expect(at(pipeline('{ class: TrimWhitespace, fields: [a] }', columns)).labels).toEqual(['a', 'id']);
  });

  it('offer nothing at places without known values', () => {
    expect(at('# |').labels).toEqual([]);
    expect(at('foo: |').labels).toEqual([]);
    expect(at(pipeline('{ class: Concatenate, formatString: | }')).labels).toEqual([]);
  });
});
