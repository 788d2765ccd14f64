import { describe, expect, it } from 'vitest';
import { hoverAt } from './config-hover.ts';
import { knowledge } from './knowledge.test.lib.ts';
import { ParsedConfig } from './parsed-config.ts';

/** Returns the documentation at the mark `|`, and the text that it belongs to. */
function at(marked: string) {
  const text = marked.replace('|', '');
  const found = hoverAt(new ParsedConfig(text), marked.indexOf('|'), knowledge);
  return found && [text.slice(found.from, found.to), found.text];
}

describe('hoverAt', () => {
  it('documents parameters with type, default and required', () => {
    expect(at('pipelines: [{ stages: [{ class: CopyFields, upd|ateMode: append }] }]')).toEqual([
      'updateMode',
      '**updateMode** (string, optional)\n\nWhat happens.\n\nValues: `overwrite`, `append`. Default: `overwrite`.',
    ]);
    expect(at('{"connectors": [{"class": "CSVConnector", "pa|th": "x"}]}')).toEqual([
      '"path"',
      '**path** (string, required)\n\nThe file.',
    ]);
    expect(at('worker { thr|eads: 1 }')?.[1]).toContain('**threads** (number, optional)');
    expect(at('worker.thr|eads = 1')?.[1]).toContain('**threads** (number, optional)');
    expect(at('pipelines: [{ stages: [{ class: A, conditions: [{ oper|ator: must }] }] }]')?.[1]).toContain(
      '`must_not`',
    );
  });

  it('documents classes and blocks', () => {
    expect(at('pipelines: [{ stages: [{ class: Copy|Fields }] }]')).toEqual([
      'CopyFields',
      '**CopyFields** (stage)\n\nCopyFields does something. It has more sentences.\n\nRequired: `fieldMapping`.',
    ]);
    expect(at('indexer { type: CS|V }')?.[1]).toContain('Selected by `indexer.type: CSV`. Parameters: `csv`.');
    expect(at('c|sv { path: x }')?.[1]).toContain('**CSVIndexer** (indexer)');
    expect(at('connect|ors: []')?.[1]).toContain('The sources.');
  });

  it('shows nothing at other positions', () => {
    expect(at('fo|o: 1')).toBeUndefined();
    expect(at('worker { threads: 1| }')).toBeUndefined();
    expect(at('|')).toBeUndefined();
    expect(at('# connec|tors\nworker {}')).toBeUndefined();
  });
});
