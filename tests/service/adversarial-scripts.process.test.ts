import { describe, expect, it } from 'vitest';
import { HostileGuest, modest } from './hostile.ts';

const guest = new HostileGuest();
const quick = 'worker { maxProcessingSecs: 1 }';

const script = (source: string) => `{class: ApplyJavascript, script: ${JSON.stringify(source)}}`;

describe('a stage that never ends', () => {
  it.each([
    [
      'a regular expression',
      '{class: SetStaticValues, staticValues: {a: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}}, {class: ApplyRegex, source: [a], dest: [b], regex: "^(a+)+$"}',
    ],
    [
      'a replacement',
      '{class: SetStaticValues, staticValues: {a: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}}, {class: ReplacePatterns, source: [a], dest: [b], regex: ["^(a|aa)+$"], replacement: "x"}',
    ],
    ['a script', script('for (;;) {}')],
    ['a script in a regular expression', script('/^(a+)+$/.test("a".repeat(60) + "!")')],
    ['a script in a promise', script('const f = () => Promise.resolve().then(f); f(); for (;;) {}')],
    ['a script that calls itself', script('const f = () => f() + f(); f();')],
    ['a script that allocates all memory', script('const a = []; for (;;) a.push(new Array(100000).fill("x"));')],
    ['a script that creates an endless text', script('let a = "x"; for (;;) a += a;')],
  ])('fails the document: %s', async (_, stages) => {
    const { status, progress } = await guest.run(
      modest({ connector: 'class: SequenceConnector, numDocs: 1', stages, top: quick }),
    );
    expect(status).toBe('FAILED');
    expect(progress).toMatchObject({ succeeded: 0, failed: 1 });
  });
});

/** Expressions that try to leave the sandbox. Each returns the type of the value that it reached. */
const WAYS_OUT = [
  'typeof process',
  'typeof require',
  'typeof globalThis.process',
  'typeof fetch',
  'typeof WebAssembly',
  'typeof setTimeout',
  'typeof Function("return this.process")()',
  'typeof doc.constructor.constructor("return this.process")()',
  'typeof doc.getField?.constructor("return this.process")()',
  'typeof [].constructor.constructor("return globalThis.process")()',
  'typeof (function* () {}).constructor("return this.process")().next().value',
  'typeof new Error().stack.constructor.constructor("return this.process")()',
];

describe('a script that tries to leave the sandbox', () => {
  it('reaches nothing in any known way', async () => {
    const tries = WAYS_OUT.map((way) => `() => ${way}`).join(', ');
    const refused = '"undefined"';
    const config = modest({
      stages: script(
        `doc.found = [${tries}].map((way) => { try { return way(); } catch (e) { return ${refused}; } });`,
      ),
    });
    const body = JSON.stringify({ config, documents: [{ id: 'a' }] });
    const { text } = await guest.post('/v1/preview', body, 'application/json');
    const { results } = JSON.parse(text) as { results: { documents: { found: string[] }[] }[] };
    expect(results[0]?.documents[0]?.found).toEqual(WAYS_OUT.map(() => 'undefined'));
  });

  it('changes nothing for the next script', async () => {
    const spoil = script('Object.prototype.polluted = 1; Array.prototype.push = null; globalThis.left = 1; doc.a = 1;');
    await guest.run(modest({ stages: spoil }));
    const look = script('doc.left = typeof left; doc.polluted = typeof ({}).polluted;');
    const body = JSON.stringify({ config: modest({ stages: look }), documents: [{ id: 'a' }] });
    const { text } = await guest.post('/v1/preview', body, 'application/json');
    expect(JSON.parse(text).results[0].documents[0]).toMatchObject({ left: 'undefined', polluted: 'undefined' });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('runs only Python scripts that the server provides', async () => {
    const { status, reported } = await guest.run(
      modest({ stages: '{class: ExternalPython, scriptPath: "/etc/x.py"}' }),
    );
    expect(status).toBe('FAILED');
    expect(reported).toContain('There is no file /etc/x.py in ./python');
  });
});
