import { describe, expect, it } from 'vitest';
import { applyChanges, EditError, insertItem, moveItem, parse, removeItem, removeKey, setAt } from '../index.ts';

const text = `# the run
pipelines: [
  {
    name: p1
    stages: [
      # first
      { class: A, fields: [x, y] } # beside
      # second
      # of two lines
      {
        class: B
      }

      # a section

      { class: C }
    ] # end
  }
]
`;
const stages = ['pipelines', 0, 'stages'];

function insert(text: string, path: (string | number)[], index: number, value: Parameters<typeof insertItem>[3]) {
  return applyChanges(text, insertItem(text, path, index, value));
}

function remove(text: string, path: (string | number)[], index: number) {
  return applyChanges(text, removeItem(text, path, index));
}

function move(text: string, path: (string | number)[], from: number, to: number) {
  return applyChanges(text, moveItem(text, path, from, to));
}

describe('insertItem', () => {
  it('inserts an element above the comments of the next one, in the style of the list', () => {
    expect(insert(text, stages, 0, { class: 'N' })).toBe(
      text.replace('      # first', '      {\n        class: N\n      }\n      # first'),
    );
    expect(insert(text, stages, 3, { class: 'N' })).toBe(
      text.replace('{ class: C }\n', '{ class: C }\n      {\n        class: N\n      }\n'),
    );
    expect(insert('a = [1, 2]', ['a'], 1, 'x y')).toBe('a = [1, "x y", 2]');
    expect(insert('a = [1, 2,]', ['a'], 2, 3)).toBe('a = [1, 2, 3,]');
    expect(insert('a = [\n  1\n  2\n]', ['a'], 2, 3)).toBe('a = [\n  1\n  2\n  3\n]');
    expect(insert('a = [\n  1, # one\n  2 # two\n]', ['a'], 2, 3)).toBe('a = [\n  1, # one\n  2, # two\n  3\n]');
    expect(insert('a = [{\n  b = 1\n}, {\n  b = 2\n}]', ['a'], 2, { b: 3 })).toBe(
      'a = [{\n  b = 1\n}, {\n  b = 2\n}, {\n  b = 3\n}]',
    );
  });

  it('inserts the first element', () => {
    expect(insert('a = []', ['a'], 0, 1)).toBe('a = [1]');
    expect(insert('a: []', ['a'], 0, { class: 'X' })).toBe('a: [\n  { class: X }\n]');
    expect(insert('a = [\n  # none yet\n]', ['a'], 0, 1)).toBe('a = [\n  1\n  # none yet\n]');
  });

  it('keeps strict JSON strict', () => {
    expect(insert('{"a": []}', ['a'], 0, { b: 1 })).toBe('{"a": [\n  { "b": 1 }\n]}');
    expect(insert('{\n  "a": [\n    1\n  ]\n}', ['a'], 1, 'x')).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}');
    expect(insert('{\n  "a": [\n    1\n  ]\n}', ['a'], 0, 'x')).toBe('{\n  "a": [\n    "x",\n    1\n  ]\n}');
    expect(insert('{"a":[1]}', ['a'], 0, { b: [2] })).toBe('{"a":[{ "b":[2] }, 1]}');
  });

  it('returns only the necessary changes', () => {
    expect(insertItem('a = [1, 2]', ['a'], 2, 3)).toEqual([{ from: 9, to: 9, insert: ', 3' }]);
    expect(moveItem('a = [1, 2, 3]', ['a'], 0, 2)).toHaveLength(2);
  });

  it('refuses lists that are not written in the text', () => {
    const error = (text: string, options = {}) => {
      try {
        insertItem(text, ['a'], 0, 1, options);
      } catch (error) {
        if (error instanceof EditError) return error.message;
        throw error;
      }
      return undefined;
    };
    expect(error('b = [1]\na = ${b}')).toContain('a comes from a substitution. Edit it in the text');
    expect(error('a = [1] [2]')).toContain('a is joined from several values. Edit it in the text');
    expect(error('a = [1]\na += 2')).toContain('elements are added to a with +=. Edit it in the text');
    expect(error('b = 1')).toContain('a is not written in this text');
    expect(error('a = 1')).toContain('a is not a list in brackets');
    expect(error('a = [1], b = [')).toContain('first correct the mistake on line 1');
    expect(error('a = [1]', { overrides: { a: [5, 6] } })).toContain('elements that are not written in this list');
    const include = () => ({ file: 'base.conf', text: 'a = [7]' });
    expect(error('include "base.conf"', { include })).toContain('a is not written in this text');
    expect(() => insertItem('a = [1]', ['a'], 3, 1)).toThrow('a has only 1 elements');
    expect(() => insertItem('a = [1]', ['a'], -1, 1)).toThrow('an index must be a whole number from 0, not -1');
  });
});

describe('removeItem', () => {
  it('removes an element with its comments', () => {
    expect(remove(text, stages, 0)).toBe(
      text.replace('      # first\n      { class: A, fields: [x, y] } # beside\n', ''),
    );
    expect(remove(text, stages, 1)).toBe(
      text.replace('      # second\n      # of two lines\n      {\n        class: B\n      }\n', ''),
    );
    expect(remove(text, stages, 2)).toBe(text.replace('\n\n      { class: C }\n', '\n'));
    expect(remove('a = [1, 2, 3]', ['a'], 2)).toBe('a = [1, 2]');
    expect(remove('a = [1, 2, 3,]', ['a'], 2)).toBe('a = [1, 2,]');
    expect(remove('a = [1]', ['a'], 0)).toBe('a = []');
    expect(remove('{\n  "a": [\n    1,\n    2\n  ]\n}', ['a'], 1)).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it('keeps other comments, and removes commas that are too many', () => {
    expect(remove('a = [# all\n{ b = 1\n }]', ['a'], 0)).toBe('a = [# all\n]');
    expect(remove('a = [1\n\n,# two\n\n2]', ['a'], 0)).toBe('a = [\n\n# two\n\n2]');
    const header = '# The config\n';
    const set = applyChanges(header, setAt(header, ['a'], 1));
    expect(set).toBe('# The config\n\na: 1\n');
    expect(applyChanges(set, removeKey(set, ['a']))).toBe(header);
  });

  it('refuses to remove a value that a substitution needs', () => {
    expect(() => removeKey('a { b = 1 }\nc = ${a.b}', ['a', 'b'])).toThrow(
      'a.b cannot be edited: the new text would have a mistake on line 2',
    );
  });
});

describe('moveItem', () => {
  it('moves an element with its comments', () => {
    const moved = move(text, stages, 1, 0);
    expect(moved).toContain(
      '[\n      # second\n      # of two lines\n      {\n        class: B\n      }\n      # first\n      { class: A',
    );
    expect(move(moved, stages, 0, 1)).toBe(text);
    expect(move('a = [1, 2, 3]', ['a'], 0, 2)).toBe('a = [2, 3, 1]');
    expect(move('a = [\n  1, # one\n  2 # two\n]', ['a'], 0, 1)).toBe('a = [\n  2, # two\n  1 # one\n]');
    expect(move('a = [1, # one\n  2]', ['a'], 0, 1)).toBe('a = [2,\n  1 # one\n]');
  });
});

describe('removeKey', () => {
  it('removes all definitions of a key', () => {
    expect(applyChanges('a = 1\nb = 2\n', removeKey('a = 1\nb = 2\n', ['a']))).toBe('b = 2\n');
    const text = 'o.a = 1\nb = 2\no { a = 3, c = 4 }\n';
    expect(applyChanges(text, removeKey(text, ['o', 'a']))).toBe('b = 2\no { c = 4 }\n');
    const stage = 's: [{ class: A, x: 1 }]';
    expect(applyChanges(stage, removeKey(stage, ['s', 0, 'x']))).toBe('s: [{ class: A }]');
    expect(() => removeKey('a = 1', ['b'])).toThrow('b cannot be edited: it is not written in this text');
  });
});

describe('setAt', () => {
  const set = (text: string, path: (string | number)[], value: Parameters<typeof setAt>[2]) =>
    applyChanges(text, setAt(text, path, value));

  it('sets a value inside a list', () => {
    expect(set(text, [...stages, 0, 'fields'], ['z'])).toBe(text.replace('[x, y]', '[z]'));
    expect(set(text, [...stages, 0, 'dest'], 'd')).toBe(text.replace('[x, y] }', '[x, y], dest: d }'));
    expect(set(text, [...stages, 1, 'enabled'], false)).toBe(
      text.replace('class: B\n', 'class: B\n        enabled: false\n'),
    );
    expect(set(text, [...stages, 2], { class: 'D' })).toBe(text.replace('{ class: C }', '{ class: D }'));
    expect(set('a = []', ['b'], 'x')).toBe('a = []\nb = x\n'.trimEnd());
    expect(set('s: [{}]', ['s', 0, 'x', 'y'], 1)).toBe('s: [{ x.y: 1 }]');
    expect(set('{"s": [{}]}', ['s', 0, 'x', 'y'], 1)).toBe('{"s": [{ "x": { "y": 1 } }]}');
    expect(set('s: [${b} { x: 1 }]\nb { y: 2 }', ['s', 0, 'y'], 3)).toBe('s: [${b} { x: 1, y: 3 }]\nb { y: 2 }');
    expect(set('', ['a'], 1)).toBe('a: 1\n');
    expect(set('a { b = 1 }', ['a'], 2)).toBe('a = 2');
  });

  it('accepts options of parse', () => {
    const options = { env: { HOME: '/h' } };
    const text = 'home = ${HOME}\na = [1]';
    const edited = applyChanges(text, setAt(text, ['a', 0], 2, options));
    expect(parse(edited, options).value).toEqual({ home: '/h', a: [2] });
  });
});
