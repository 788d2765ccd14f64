import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextAt } from './config-context.ts';
import { ParsedConfig } from './parsed-config.ts';

/** Returns the context at the mark `|` of a text. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { position, path, prefix, replace, component, parameter, quoted } = contextAt(new ParsedConfig(text), offset);
  const where = `${position} ${path.join('/')}`.trim();
  const replaced = text.slice(replace.from, replace.to);
  return { where, prefix, replaced, parameter, quoted, component: component && [component.kind, component.className] };
}

const stages = (inner: string) => `pipelines: [\n  {\n    name: p\n    stages: [\n${inner}`;

describe('contextAt', () => {
  it('finds keys of the config', () => {
    expect(at('|')).toMatchObject({ where: 'key', prefix: '' });
    expect(at('ind|')).toMatchObject({ where: 'key', prefix: 'ind', replaced: 'ind' });
    expect(at('in|dex { type: x }')).toMatchObject({ where: 'key', prefix: 'in', replaced: 'index' });
    expect(at('a: 1\n|\nb: 2')).toMatchObject({ where: 'key' });
    expect(at('a: 1, |')).toMatchObject({ where: 'key' });
    expect(at('{\n  |\n}')).toMatchObject({ where: 'key' });
    expect(at('{ "con|" }')).toMatchObject({ where: 'key', prefix: 'con', replaced: '"con"', quoted: true });
    expect(at('{ "a": 1, "con|')).toMatchObject({ prefix: 'con' });
    expect(at('csv.pa| = x')).toMatchObject({ where: 'key csv', prefix: 'pa', replaced: 'pa' });
    expect(at('csv.pa|')).toMatchObject({ where: 'key csv', prefix: 'pa' });
    expect(at('csv.|')).toMatchObject({ where: 'key csv', prefix: '' });
  });

  it('finds the value of a parameter', () => {
    expect(at('a: |')).toMatchObject({ where: 'value a', prefix: '' });
    expect(at('a = x|y')).toMatchObject({ where: 'value a', prefix: 'x', replaced: 'xy' });
    expect(at('a = "x|y"')).toMatchObject({ where: 'value a', prefix: 'x', replaced: '"xy"', quoted: true });
    expect(at('a { b: "x| }\nc: 1')).toMatchObject({ where: 'value a/b', prefix: 'x', replaced: '"x', quoted: true });
    expect(at('a: [x, |]')).toMatchObject({ where: 'value a/1', prefix: '' });
    expect(at('a: [|')).toMatchObject({ where: 'value a/0' });
    expect(at('a: [\n  x\n  |\n]')).toMatchObject({ where: 'value a/1' });
    expect(at('a: |\nb: 1')).toMatchObject({ where: 'value a' });
    expect(at('{"a": |}')).toMatchObject({ where: 'value a' });
  });

  it('finds nothing in comments, after values and in substitutions', () => {
    expect(at('# a |')).toMatchObject({ where: 'none' });
    expect(at('a: 1 // x|\nb: 1')).toMatchObject({ where: 'none' });
    expect(at('a: 1 |')).toMatchObject({ where: 'none a' });
    expect(at('a |')).toMatchObject({ where: 'none a' });
    expect(at('a: ${b|}')).toMatchObject({ where: 'none a' });
    expect(at('a: {} |')).toMatchObject({ where: 'none a' });
    expect(at('{ a: 1 }\n|')).toMatchObject({ where: 'none' });
    expect(at('include "x|"')).toMatchObject({ where: 'none' });
  });

  it('finds the component and the parameter', () => {
    const stage = ['stage', 'CopyFields'];
    const path = 'pipelines/0/stages/0';
    expect(at(stages('{ class: CopyFields, | }]}]'))).toMatchObject({ where: `key ${path}`, component: stage });
    expect(at(stages('{ class: CopyFields, updateMode: a| }]}]'))).toMatchObject({
      where: `value ${path}/updateMode`,
      component: stage,
      parameter: 'updateMode',
    });
    expect(at(stages('{ class: CopyFields, fieldMapping { a| } }]}]'))).toMatchObject({
      where: `key ${path}/fieldMapping`,
      component: stage,
      parameter: 'fieldMapping',
    });
    expect(at('connectors: [{ class: CSVConnector, pipeline: | }]')).toMatchObject({
      where: 'value connectors/0/pipeline',
      component: ['connector', 'CSVConnector'],
      parameter: 'pipeline',
    });
    expect(at('indexer { type: CSV, ba| }')).toMatchObject({ component: ['indexer', 'CSV'], parameter: 'ba' });
    expect(at(stages('{ class: A }\n {|'))).toMatchObject({ where: 'key pipelines/0/stages/1' });
  });

  it('works before the text is finished', () => {
    const path = 'pipelines/0/stages/0';
    const component = ['stage', 'CopyFields'];
    expect(at(stages('      {\n        class: CopyFields\n        |'))).toMatchObject({
      where: `key ${path}`,
      component,
    });
    expect(
      at(
        stages('      {\n        class: CopyFields\n        up|\n      {\n        class: B\n      }\n    ]\n  }\n]\n'),
      ),
    ).toMatchObject({ where: `key ${path}`, prefix: 'up', component });
    expect(at(stages('      {\n        class: |\n        fieldMapping: {}\n      }\n    ]\n  }\n]\n'))).toMatchObject({
      where: `value ${path}/class`,
    });
    expect(at(stages('      {\n        class:\n        |'))).toMatchObject({ where: `key ${path}` });
    expect(at('{"connectors": [{"class": "CSV|')).toMatchObject({ where: 'value connectors/0/class', prefix: 'CSV' });
    expect(at('{"connectors": [{"class": "X", "|')).toMatchObject({ where: 'key connectors/0', prefix: '' });
  });

  it('replaces a part of the text around the position, for any text and position', () => {
    const piece = fc.constantFrom(...'{}[]=:,"#\n a.'.split(''), '"""', '+=', 'class', 'stages: [', '//', '${a}', '  ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), fc.nat(), (pieces, nat) => {
        const text = pieces.join('');
        const offset = nat % (text.length + 1);
        const { replace, prefix, quoted } = contextAt(new ParsedConfig(text), offset);
        expect(replace.from).toBeLessThanOrEqual(offset);
        expect(replace.to).toBeGreaterThanOrEqual(offset);
        expect(text.slice(replace.from + (quoted ? 1 : 0), offset)).toBe(prefix);
      }),
      { numRuns: 4 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});
