import { expect, it } from 'vitest';
import { parse } from './parse.ts';

const problems = (text: string, format: 'hocon' | 'json' = 'hocon') =>
  parse(text, { format }).problems.map(({ line, hint }) => `${line}: ${hint}`);

const LISTS = `# films
connectors:
  - class: CSVConnector
    path: movies.csv
pipelines:
- name: films
  stages: []
indexer:
  type: CSV
`;

it.each(['hocon', 'json'] as const)(
  'a YAML text that is read as %s has only one problem, which says that it is YAML',
  (format) => {
    for (const text of [LISTS, `---\n${LISTS}`, LISTS.replaceAll('\n', '\r\n'), 'indexer:\n  type: CSV\n']) {
      expect(problems(text, format), text).toEqual([
        expect.stringMatching(/^\d: this looks like YAML; .*\[{ class: … }]$/),
      ]);
    }
  },
);

it.each(['a: [\n  { b: }\n]', 'a:\n  "x: y"\nb: }', 'a: {\n  b: """\nkey:\n  - item\n"""\n  c: }\n}'])(
  'a text that is not YAML is not reported as YAML: %j',
  (text) => {
    expect(problems(text).join()).not.toContain('YAML');
    expect(problems(text)).not.toEqual([]);
  },
);

it('the problem of comments in JSON has the hint that HOCON supports comments', () => {
  const text = '{\n  // one\n  "a": 1, # two\n  "b": 2, /* three */\n  "c": }';
  const found = problems(text, 'json');
  const hint = 'JSON does not support comments, but HOCON supports # and //: rename the file to .conf';
  expect(found.filter((problem) => problem.endsWith(hint)).map((problem) => problem[0])).toEqual(['2', '3', '4']);
  expect(problems('{"c": }', 'json').join()).not.toContain('comments');
});

it('the problem of a block comment in HOCON has the hint how to write comments', () => {
  expect(problems('a: 1\n/* b */\nc: 2')[0]).toBe('2: comments start with # or //; /* */ is not supported');
  expect(problems('a: 1 /* b */')[0]).toContain('comments start with');
  expect(problems('a: 2 * 3')[0]).not.toContain('comments');
});
