import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, configOf, problemsOf, withStages } from './checked-config.test.lib.ts';

describe('stages', () => {
  it('checks disabled stages too', async () => {
    expect(await problemsOf(withStages('{class: Mark, enabled: false}'))).toEqual([
      'pipelines[0].stages[0] 2:32 <Mark> Config is missing required property field',
    ]);
  });

  it('reports a constructor error of a disabled stage as a warning', async () => {
    const severities = async (enabled: boolean) => {
      const text = withStages(`{class: Mark, field: a, regex: ["|"], enabled: ${enabled}}`);
      return (await check(text)).problems.map(({ severity }) => severity);
    };
    expect(await severities(true)).toEqual(['error']);
    expect(await severities(false)).toEqual(['warning']);
  });

  it('names stages by class and name in problems', async () => {
    expect(
      await problemsOf(
        withStages('{name: x}, {class: Mrak, name: y, field: a}, {class: Mark, name: z, fild: a, field: b}'),
      ),
    ).toEqual([
      'pipelines[0].stages[0] 2:32 <stage (x)> No Stage class specified | Add class: "…". `headrace components` and GET /v1/config-info/stage-list list the stages.',
      'pipelines[0].stages[1].class 2:51 <Mrak (y)> There is no stage Mrak | Did you mean Mark?',
      'pipelines[0].stages[2].fild 2:100 <Mark (z)> Config contains unknown property fild | Did you mean field?',
    ]);
  });

  it('runs the check method of a stage and reports the position of the parameter', async () => {
    const text = withStages(`{
      class: Mark, field: a
      fieldMapping {
        ok: x
        "a.b[0]": ""
      }
      regex: [
        a
        "("
        "."
      ]
    }`);
    expect(await problemsOf(text)).toEqual([
      'pipelines[0].stages[0].fieldMapping."a.b[0]" 6:19 <Mark> a.b[0] has no target | Give one.',
      'pipelines[0].stages[0].regex[1] 10:9 <Mark> regex[1] is not closed',
      'warning pipelines[0].stages[0].regex[2] 11:9 <Mark> matches anything',
    ]);
  });

  it('accepts a config whose stages only have warnings', async () => {
    expect(await problemsOf(withStages('{class: Mark, field: a, regex: ["."], unknown: {}}'))).toEqual([
      'warning pipelines[0].stages[0].regex[0] 2:64 <Mark> matches anything',
      'warning pipelines[0].stages[0].unknown 2:70 <Mark> Config contains unknown property unknown | Known parameters: field, fieldMapping, mode, regex, times, class, name, enabled, conditions, conditionPolicy.',
    ]);
  });

  it('reports the error message of a stage constructor', async () => {
    expect(await problemsOf(withStages('{class: Mark, field: plain}, {class: Mark, field: coded}'))).toEqual([
      'pipelines[0].stages[0] 2:32 <Mark> the constructor failed',
      'pipelines[0].stages[1] 2:61 <Mark> no | say yes',
    ]);
  });

  it('requires unique stage names in a pipeline, ignoring disabled stages', async () => {
    expect(
      await problemsOf(
        withStages(
          '{class: Mark, field: a, name: s}, {class: Mark, field: b, name: s}, {class: Mark, field: c, name: s, enabled: false}',
        ),
      ),
    ).toEqual([
      'pipelines[0].stages[1].name 2:96 <p> Two stages of the pipeline are called s | A stage without a name is called stage_<position>.',
    ]);
    const [pipeline] = (await configOf(withStages('{class: Mark, field: a, enabled: no}, {class: Mark, field: b}')))
      .pipelines;
    expect(pipeline?.stages.map(({ name }) => name)).toEqual(['stage_1']);
  });

  it('refuses custom stages if the registry does not allow them', async () => {
    expect(await problemsOf(withStages('{class: "./evil.js#Evil"}'))).toEqual([
      'pipelines[0].stages[0].class 2:40 <./evil.js#Evil> An uploaded config may not load the module ./evil.js | Name the module under `components` in the service file.',
    ]);
  });
});

describe('conditions', () => {
  const condition = (text: string) => withStages(`{class: Mark, field: a, ${text}}`);

  it.each([
    ['conditions: [{values: [x]}]', 'conditions[0] 2:69', 'Config is missing required property fields', ''],
    [
      'conditions: [{fields: a}]',
      'conditions[0].fields 2:78',
      'fields is supposed to be a list, was "STRING"',
      ' | Write it in brackets: fields: [a]',
    ],
    [
      'conditions: [{fields: [a], operator: MUST}]',
      'conditions[0].operator 2:93',
      'operator must be one of "must", "must_not", "<", "<=", ">", ">=", "matches", was "MUST"',
      ' | Did you mean "must"?',
    ],
    [
      'conditions: [{fields: [a], operator: "==", values: [1]}]',
      'conditions[0].operator 2:93',
      'operator must be one of "must", "must_not", "<", "<=", ">", ">=", "matches", was "=="',
      ' | Did you mean "must"?',
    ],
    [
      'conditions: [{fields: [a], operator: "=>", values: [1]}]',
      'conditions[0].operator 2:93',
      'operator must be one of "must", "must_not", "<", "<=", ">", ">=", "matches", was "=>"',
      ' | Did you mean ">="?',
    ],
    [
      'conditions: [{fields: [a], operator: "regex", values: [1]}]',
      'conditions[0].operator 2:93',
      'operator must be one of "must", "must_not", "<", "<=", ">", ">=", "matches", was "regex"',
      ' | Did you mean "matches"?',
    ],
    [
      'conditions: [{fields: [a], values: [x], valuesPath: y}]',
      'conditions[0] 2:69',
      "Specify either 'values' or 'valuesPath', not both.",
      '',
    ],
    [
      'conditions: [{fields: [a], operator: "<", values: [1, 2]}]',
      'conditions[0] 2:106',
      'The operator < needs exactly one value',
      ' | Write a number, a date or a string, for example values: [10].',
    ],
    [
      'conditions: [{fields: [a], operator: ">="}]',
      'conditions[0] 2:69',
      'The operator >= needs exactly one value',
      ' | Write a number, a date or a string, for example values: [10].',
    ],
    [
      'conditions: [{fields: [a], operator: matches, values: ["a(b"]}]',
      'conditions[0] 2:110',
      '"a(b" is not a regular expression: Invalid regular expression: /a(b/u: Unterminated group',
      ' | Use the regular expressions of JavaScript with the flag u. Escape only characters with a special meaning.',
    ],
    [
      'conditions: [{or: [{fields: [a]}, {not: {values: [1]}}]}]',
      'conditions[0].or[1].not 2:96',
      'Config is missing required property fields',
      '',
    ],
    [
      'conditions: [{or: [{fields: [a]}], fields: [b]}]',
      'conditions[0] 2:69',
      'A group of conditions can only have the key or, but this group also has fields',
      ' | Write { and: [ … ] }, { or: [ … ] } or { not { … } }. To combine them, nest one group in another.',
    ],
    ['conditions: [{and: {fields: [a]}}]', 'conditions[0].and 2:75', 'and is supposed to be a list, was "OBJECT"', ''],
    [
      'conditions: [{not: [{fields: [a]}]}]',
      'conditions[0].not 2:75',
      'not is supposed to be a Config, was "LIST"',
      '',
    ],
    ['conditions: {a: 1}', 'conditions 2:68', 'conditions is supposed to be a list, was "OBJECT"', ''],
    [
      'conditions: [{fields: [a]}], conditionPolicy: some',
      'conditionPolicy 2:102',
      'Unsupported condition policy: some',
      ' | It is "all" or "any".',
    ],
  ])('reports the wrong condition %s', async (text, where, message, hint) => {
    const [first] = await problemsOf(condition(text));
    expect(first).toBe(`pipelines[0].stages[0].${where} <Mark> ${message}${hint}`);
  });

  it('only warns of a wrong policy without conditions, because the reference ignores it', async () => {
    expect(await problemsOf(condition('conditionPolicy: some'))).toEqual([
      'warning pipelines[0].stages[0].conditionPolicy 2:73 <Mark> Unsupported condition policy: some | It is "all" or "any".',
    ]);
  });

  it('reads conditions with nested groups', async () => {
    const config = await configOf(
      condition(
        'conditions: [{fields: [a], operator: "<", values: [10]}, {or: [{fields: [b]}, {not {and: [{fields: [c], operator: matches, values: [x]}]}}]}]',
      ),
    );
    expect(config.pipelines[0]?.stages[0]?.conditions).toEqual([
      { fields: ['a'], operator: '<', values: ['10'] },
      {
        group: 'or',
        conditions: [
          { fields: ['b'], operator: 'must', values: undefined },
          {
            group: 'not',
            conditions: [{ group: 'and', conditions: [{ fields: ['c'], operator: 'matches', values: ['x'] }] }],
          },
        ],
      },
    ]);
  });

  it('reads the values of a condition from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-values-'));
    try {
      const path = join(folder, 'values.txt');
      writeFileSync(path, '\ufeff one \r\n\r\ntwo\rthree\n');
      const config = await configOf(condition(`conditions: [{fields: [f], valuesPath: ${JSON.stringify(path)}}]`));
      expect(config.pipelines[0]?.stages[0]?.conditions[0]).toMatchObject({ values: ['one', 'two', 'three'] });
      const missing = JSON.stringify(join(folder, 'none.txt'));
      const [problem] = await problemsOf(
        condition(`conditions: [{fields: [f]}, {fields: [f], valuesPath: ${missing}}]`),
      );
      expect(problem).toContain(
        'pipelines[0].stages[0].conditions[1] 2:84 <Mark> Failed to load values from valuesPath: ',
      );
      expect(problem).toContain(' | ENOENT');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
