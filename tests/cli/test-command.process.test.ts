import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace } from './headrace.ts';

const STAGES = `
    { name: unrated, class: DropDocument, conditions: [{ fields: [rating], operator: must_not }] }
    { name: picky, class: ApplyJavascript, script: "print('at ' + doc.id); if (doc.id == 'bad') throw new Error('not this one')" }
    { class: SplitFieldValues, inputField: genre, outputField: genre, delimiter: ";", trimWhitespace: true }`;

/** Returns a config of one pipeline with these tests. */
const config = (tests: string, stages = STAGES) => `
connectors: [{ class: CSVConnector, name: films, pipeline: films, path: movies.csv, idField: id }]
pipelines: [{ name: films, stages: [${stages}] }]
indexer { type: JSONLines }
jsonl { path: films.jsonl }
${tests === '' ? '' : `tests: [${tests}]`}
`;

/** Runs `headrace test` on one config. */
async function testConfig(tests: string, args: readonly string[] = [], stages = STAGES) {
  const cwd = directoryWith({ 'films.conf': config(tests, stages) });
  return { cwd, ...(await headrace(['test', 'films.conf', ...args], { cwd })) };
}

const SPLITS =
  '{ name: "splits genres", in: { id: m1, genre: "Drama; War", rating: 6.1 }, out: { id: m1, rating: 6.1, genre: [Drama, War] } }';
const FAILS =
  '{ name: "keeps genres", in: { id: m1, genre: "Drama; War", rating: 6.1 }, out: { id: m1, rating: 6.1, genre: "Drama; War" } }';

describe('headrace test', () => {
  it('passes if the pipeline returns the expected documents, in any order of the fields', async () => {
    const { code, stdout, stderr } = await testConfig(SPLITS);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'films.conf\n  ok      splits genres\nfilms.conf: 1 passed\n',
      stderr: '',
    });
  });

  it('shows the fields that differ, expected and actual, and the output of the stages', async () => {
    const { code, stdout } = await testConfig(`${SPLITS}, ${FAILS}`);
    expect(code).toBe(1);
    expect(stdout).toContain(`  FAILED  keeps genres
          out: expected (-), got (+)
            {
              "id": "m1"
              "rating": 6.1
          -   "genre": "Drama; War"
          +   "genre": ["Drama","War"]
            }
          info: picky: at m1
films.conf: 1 of 2 failed
`);
  });

  it('warns about a second list of tests, which replaces the first', async () => {
    const cwd = directoryWith({ 'films.conf': `${config(FAILS)}\ntests: [${SPLITS}]\n` });
    const { code, stdout, stderr } = await headrace(['test', 'films.conf'], { cwd });
    expect({ code, stdout: stdout.includes('1 passed') }).toEqual({ code: 0, stdout: true });
    expect(stderr).toMatch(/warning: tests appears twice with different values/);
  });

  it('distinguishes whole numbers from doubles, and compares long integers exactly', async () => {
    const numbers = (ten: string, long: string) =>
      `{ in: { id: a, rating: 1, ten: 10.0, long: 9007199254740993 }, out: { id: a, rating: 1, ten: ${ten}, long: ${long} } }`;
    expect((await testConfig(numbers('10.0', '9007199254740993'))).code).toBe(0);
    const { code, stdout } = await testConfig(numbers('10', '9007199254740994'));
    expect(code).toBe(1);
    expect(stdout).toMatch(/- {3}"ten": 10\n/);
    expect(stdout).toMatch(/\+ {3}"long": 9007199254740993\n/);
  });

  it('accepts documents as JSON texts', async () => {
    const line = '"""{"id":"a","rating":1,"10":[1.0,null]}"""';
    expect((await testConfig(`{ in: ${line}, out: ${line} }`)).stdout).toContain('1 passed');
  });

  it('compares dropped and failed documents by id, stage, code and message', async () => {
    const { code, stdout } = await testConfig(`
      { name: "drops", in: [{ id: x }, { id: 7 }], dropped: [x, 7] }
      { name: "fails", in: { id: bad, rating: 1 }, failed: bad }
      { name: "fails so", in: { id: bad, rating: 1 }
        failed: { id: bad, at: picky, code: HR_STAGE_FAILED, message: "not this one" } }`);
    expect(stdout).toContain('3 passed');
    expect(code).toBe(0);
  });

  it('fails if documents are dropped or fail in a way that the test does not expect', async () => {
    const { code, stdout } = await testConfig(`
      { name: "silent drop", in: { id: x }, out: [] }
      { name: "silent failure", in: { id: bad, rating: 1 }, out: [] }
      { name: "no drop", in: { id: a, rating: 1 }, out: { id: a, rating: 1 }, dropped: a }
      { name: "no failure", in: { id: a, rating: 1 }, out: { id: a, rating: 1 }, failed: a }
      { name: "other failure", in: { id: bad, rating: 1 }, failed: { id: bad, at: unrated, message: "on fire" } }`);
    expect(code).toBe(1);
    expect(stdout).toContain('dropped: x was dropped, which the test does not expect');
    expect(stdout).toContain('failed: bad failed at picky: ');
    expect(stdout).toContain('dropped: a was not dropped');
    expect(stdout).toContain('failed: a did not fail');
    expect(stdout).toContain('failed: bad failed at another stage than unrated: HR_STAGE_FAILED at picky: ');
    expect(stdout).toContain('failed: the message for bad does not contain "on fire": ');
    expect(stdout).toContain('5 of 5 failed');
  });

  it('expects children before their parent', async () => {
    const stages = '{ class: EmitNestedChildren }';
    const input = 'in: { id: p, ___children: [{ id: c1 }, { id: c2 }] }';
    expect((await testConfig(`{ ${input}, out: [{ id: c1 }, { id: c2 }, { id: p }] }`, [], stages)).code).toBe(0);
    expect((await testConfig(`{ ${input}, out: [{ id: p }, { id: c1 }, { id: c2 }] }`, [], stages)).code).toBe(1);
  });

  it('compares neither run_id nor the fields that the test ignores', async () => {
    const stages = '{ class: AddRandomInt, fieldName: weight, rangeStart: 0, rangeEnd: 100 }';
    const test = '{ in: { id: a }, out: { id: a, run_id: "from an output file" }, ignore: [weight] }';
    expect((await testConfig(test, [], stages)).stdout).toContain('1 passed');
  });

  it('starts the pipeline again for each test', async () => {
    const stages =
      '{ class: ApplyJavascript, script: "globalThis.seen = (globalThis.seen ?? 0) + 1; doc.seen = globalThis.seen" }';
    const test = (name: string) => `{ name: ${name}, in: { id: a }, out: { id: a, seen: 1 } }`;
    const { stdout } = await testConfig(`${test('one')}, ${test('two')}`, [], stages);
    expect(stdout).toContain('2 passed');
  });

  it('runs the tests of a file named like the config, and finds the config of that file', async () => {
    const cwd = directoryWith({
      'films.conf': config(''),
      'films.test.conf': `title = "in a file"\ntests: [${SPLITS}]`,
    });
    const passed = 'films.conf\n  ok      splits genres\nfilms.conf: 1 passed\n';
    expect(await headrace(['test', 'films.conf'], { cwd })).toMatchObject({ code: 0, stdout: passed });
    const both = await headrace(['test', 'films.conf', 'films.test.conf'], { cwd });
    expect(both).toMatchObject({ code: 0, stdout: passed });
  });

  it('runs only the tests whose name contains a text', async () => {
    const { code, stdout } = await testConfig(`${SPLITS}, ${FAILS}`, ['--filter', 'SPLITS']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('keeps') });
    const none = await testConfig(SPLITS, ['--filter', 'joins']);
    expect(none).toMatchObject({ code: 2, stderr: 'headrace: No test has "joins" in its name.\n' });
  });

  it('sets values of the config with --set', async () => {
    const stages = '{ class: SetStaticValues, staticValues { colour: ${colour} } }';
    const cwd = directoryWith({
      'a.conf': `colour = red\n${config('{ in: { id: a }, out: { id: a, colour: blue } }', stages)}`,
    });
    expect((await headrace(['test', 'a.conf'], { cwd })).code).toBe(1);
    expect((await headrace(['test', 'a.conf', '-s', 'colour=blue'], { cwd })).code).toBe(0);
  });

  it('writes valid XML for JUnit, with any names and values', async () => {
    const odd = '{ name: "a <b> & \\"c\\" \\u0001", in: { id: m1, rating: 1 }, out: { id: "]]>", rating: 1 } }';
    const { code, cwd } = await testConfig(`${SPLITS}, ${odd}`, ['--junit', 'report.xml']);
    expect(code).toBe(1);
    const xml = load(readFileSync(join(cwd, 'report.xml'), 'utf8'), { xml: true });
    expect(xml('testsuite').attr()).toMatchObject({ name: 'films.conf', tests: '2', failures: '1', errors: '0' });
    expect(
      xml('testcase')
        .map((_, test) => xml(test).attr('name'))
        .get(),
    ).toEqual(['splits genres', 'a <b> & "c" \\u0001']);
    expect(xml('testcase').eq(1).find('failure').text()).toContain('-   "id": "]]>"');
    expect(xml('testcase').eq(0).children()).toHaveLength(0);
  });

  it('tests the other configs if one is invalid, and exits with 2', async () => {
    const cwd = directoryWith({
      'bad.conf': config(SPLITS).replace('SplitFieldValues', 'SplitFieldValue'),
      'good.conf': config(SPLITS),
    });
    const { code, stdout } = await headrace(['test', 'bad.conf', 'good.conf', '--junit', 'report.xml'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^bad\.conf:\d+:\d+: error: .*Did you mean SplitFieldValues\?/);
    expect(stdout).toContain('bad.conf: invalid (1 error)');
    expect(stdout).toContain('good.conf: 1 passed');
    const xml = load(readFileSync(join(cwd, 'report.xml'), 'utf8'), { xml: true });
    expect(xml('testsuite').first().attr()).toMatchObject({ tests: '1', errors: '1' });
    expect(xml('error').text()).toContain('SplitFieldValues');
  });

  it('rejects tests with mistakes, each with its position', async () => {
    const { code, stdout } = await testConfig('\n{ in: { id: a }, out: { id: a }, dropt: b }\n{ out: { id: a } }');
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^films\.conf:\d+:34: error: Config contains unknown property dropt\. Known parameters: ignore, .* \[tests\[0\]\.dropt\]$/m,
    );
    expect(stdout).toContain('The test has no input documents.');
  });

  it('exits with 2 if no config has a test', async () => {
    const { code, stderr } = await testConfig('');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^headrace: There are no tests\. List them in the config: tests: /);
  });

  it('fails a test whose pipeline cannot start, with the reason', async () => {
    const stages = '{ class: DictionaryLookup, source: [a], dest: [b], dictPath: "no-such.csv" }';
    const { code, stdout } = await testConfig('{ name: "looks up", in: { id: a }, out: { id: a } }', [], stages);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILED {2}looks up\n.*no-such\.csv/);
  });
});

describe('validate', () => {
  it('warns about a mistake in the tests of a config, which can still run', async () => {
    const cwd = directoryWith({ 'films.conf': config('{ in: { id: a } }') });
    const { code, stdout } = await headrace(['validate', 'films.conf'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('warning: The test has no expected result. Add out ');
  });

  it('checks a test file against the config in its folder', async () => {
    const files = { 'films.conf': config(''), 'films.test.conf': `tests: [${SPLITS}]`, 'alone.test.conf': 'tests: []' };
    const cwd = directoryWith(files);
    const { code, stdout } = await headrace(['validate', 'films.conf', 'films.test.conf', 'alone.test.conf'], { cwd });
    expect(stdout).toBe(
      'films.conf: valid (no problems)\nfilms.test.conf: valid (no problems)\n' +
        'alone.test.conf: error: There is no config beside this file of tests. ' +
        'Give it the name of its config: films.test.conf is for films.conf.\nalone.test.conf: invalid (1 error)\n',
    );
    expect(code).toBe(2);
  });
});
