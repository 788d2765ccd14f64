import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type Document, defaultMemoryMb, toValue } from '@headrace/engine';
import {
  assertStageContract,
  limitMemory,
  makeStage,
  RefusedParameters,
  runStage,
  stageContext,
  toDocument,
} from '@headrace/engine/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApplyJavascript } from './apply-javascript.ts';

/**
 * A test case: its name, the script, the documents as JSON, and for each the expected JSON without the id, or a pattern
 * of the expected error.
 */
type Row = [
  what: string,
  script: string,
  documents: string | string[],
  expected: string | RegExp | (string | RegExp)[],
];

const rows: Row[] = [
  // Reading fields
  [
    'reads scalars with their types',
    'doc.t = [typeof doc.s, typeof doc.n, typeof doc.d, typeof doc.b, typeof doc.no].join()',
    '{"s":"a","n":1,"d":1.5,"b":true}',
    '{"s":"a","n":1,"d":1.5,"b":true,"t":"string,number,number,boolean,undefined"}',
  ],
  [
    'reads null as null and a missing field as undefined',
    'doc.r = [doc.a === null, doc.b === undefined, doc.b == null].join()',
    '{"a":null}',
    '{"a":null,"r":"true,true,true"}',
  ],
  [
    'reads null inside lists and objects as null',
    'doc.r = doc.a[0] === null && doc.o.k === null',
    '{"a":[null],"o":{"k":null}}',
    '{"a":[null],"o":{"k":null},"r":true}',
  ],
  [
    'reads lists, also nested ones, as real arrays',
    `doc.r = [Array.isArray(doc.a), doc.a instanceof Array, Array.isArray(doc.a[0]), doc.a[0].length,
      doc.o instanceof Object, Array.isArray(doc.o.l)].join()`,
    '{"a":[[1,2]],"o":{"l":[]}}',
    '{"a":[[1,2]],"o":{"l":[]},"r":"true,true,true,2,true,true"}',
  ],
  ['reads whole doubles as numbers', 'doc.r = doc.d === 1 && doc.d + 1', '{"d":1.0}', '{"d":1.0,"r":2}'],
  [
    'reads long integers exactly',
    'doc.r = doc.n; doc.t = typeof doc.n; doc.more = doc.n + 1n',
    '{"n":9007199254740993}',
    '{"n":9007199254740993,"r":9007199254740993,"t":"bigint","more":9007199254740994}',
  ],
  [
    'has only the names of fields, not those of methods',
    `doc.r = ['a.b' in doc, doc['a.b'], doc.a, doc.constructor, doc.toString, doc.length].map(String).join()`,
    '{"a.b":1}',
    '{"a.b":1,"r":"true,1,undefined,undefined,undefined,undefined"}',
  ],
  [
    'supports Object.keys, in and JSON.stringify on doc',
    `doc.r = [Object.keys(doc).join('+'), 'a' in doc, 'z' in doc, doc.hasOwnProperty('a'), JSON.stringify(doc)]`,
    '{"10":1,"a":[{"b":null}]}',
    '{"10":1,"a":[{"b":null}],"r":["id+10+a",true,false,true,"{\\"id\\":\\"d\\",\\"10\\":1,\\"a\\":[{\\"b\\":null}]}"]}',
  ],
  [
    'supports iteration and spread on doc',
    'doc.r = { ...doc }.a; let n = 0; for (const k in doc) n++; doc.n = n; doc.e = Object.entries(doc).length',
    '{"a":1}',
    '{"a":1,"r":1,"n":3,"e":4}',
  ],
  [
    'treats __proto__ as an ordinary name',
    `doc.r = doc.o.__proto__; doc.o.__proto__ = 2; doc.__proto__ = 3`,
    '{"o":{"__proto__":1}}',
    '{"o":{"__proto__":2},"r":1,"__proto__":3}',
  ],

  // Changing lists and objects in place
  ['changes a list in place', `doc.a.push('c'); doc.a[0] = 'x'`, '{"a":["a","b"]}', '{"a":["x","b","c"]}'],
  [
    'changes nested values in place',
    'doc.a[0].k = 9; doc.o.l.push([1]); delete doc.o.x',
    '{"a":[{"k":1}],"o":{"l":[],"x":1}}',
    '{"a":[{"k":9}],"o":{"l":[[1]]}}',
  ],
  [
    'preserves the kinds of numbers that it does not change',
    'doc.a.push(2); doc.o.n = 5',
    '{"a":[1.0,1e10,9007199254740993],"o":{"x":2.0,"n":1}}',
    '{"a":[1.0,1.0E10,9007199254740993,2],"o":{"x":2.0,"n":5}}',
  ],
  ['preserves the order of keys', 'doc.o.n = 5', '{"o":{"b":1,"10":2,"a":3}}', '{"o":{"b":1,"10":2,"a":3,"n":5}}'],
  ['removes the gap after a deleted element', 'delete doc.a[1]', '{"a":[1,2,3]}', '{"a":[1,3]}'],
  ['fills the gap of an extended list with null', 'doc.a[3] = 4', '{"a":[1]}', '{"a":[1,null,null,4]}'],
  [
    'reads the values that it has written',
    'doc.a.push(2); doc.n = doc.a.length; doc.b = doc.a',
    '{"a":[1]}',
    '{"a":[1,2],"n":2,"b":[1,2]}',
  ],
  [
    'copies assigned values',
    'const a = [1]; doc.a = a; a.push(2); doc.b = doc.a; doc.b.push(3)',
    '{}',
    '{"a":[1],"b":[1,3]}',
  ],
  [
    'tracks changes of a list that is assigned to its own field',
    'const a = doc.a; doc.a = a; a.push(2)',
    '{"a":[1]}',
    '{"a":[1,2]}',
  ],
  [
    'ignores changes to a list after its field was replaced',
    'const a = doc.a; doc.a = 5; a.push(2)',
    '{"a":[1]}',
    '{"a":5}',
  ],
  [
    'ignores changes to a list after its field was removed',
    'const a = doc.a; delete doc.a; a.push(2)',
    '{"a":[1]}',
    '{}',
  ],
  ['fails if a list contains itself', 'doc.a.push(doc.a)', '{"a":[]}', /field "a": .*(contains itself|stack overflow)/],
  [
    'fails if an assigned value contains itself',
    'const o = {}; o.o = o; doc.b = o',
    '{}',
    /, line \d+: field "b": .*(contains itself|stack overflow)/,
  ],

  // Writing fields
  [
    'writes scalars',
    `doc.s = 's'; doc.i = 5; doc.d = 0.5; doc.b = false; doc.n = null; doc.u = undefined`,
    '{}',
    '{"s":"s","i":5,"d":0.5,"b":false,"n":null,"u":null}',
  ],
  [
    'writes whole numbers as integers',
    'doc.a = 4 / 2; doc.b = -0; doc.c = 2 ** 53; doc.d = 1e300; doc.e = 5n; doc.f = 2n ** 70n',
    '{}',
    '{"a":2,"b":0,"c":9007199254740992,"d":1.0E300,"e":5,"f":1180591620717411303424}',
  ],
  [
    'writes values that JSON lacks as texts',
    'doc.a = 0 / 0; doc.b = [1 / 0, -1 / 0]; doc.c = Symbol("x")',
    '{}',
    '{"a":"NaN","b":["Infinity","-Infinity"],"c":"Symbol(x)"}',
  ],
  [
    'writes nested objects',
    'doc.o = { a: [1, { b: undefined }], "x.y": "z" }; doc.l = [1, , [2]]',
    '{}',
    '{"o":{"a":[1,{"b":null}],"x.y":"z"},"l":[1,null,[2]]}',
  ],
  [
    'writes dates, maps and sets as their content',
    'doc.d = new Date(0); doc.m = new Map([["a", new Date(1.5e12 + 1)]]); doc.s = new Set([1, 2]); doc.t = new Uint8Array([7])',
    '{}',
    '{"d":"1970-01-01T00:00:00Z","m":{"a":"2017-07-14T02:40:00.001Z"},"s":[1,2],"t":[7]}',
  ],
  [
    'writes functions and regular expressions as empty objects',
    'doc.f = () => 1; doc.r = /a/; doc.w = new Number(3)',
    '{}',
    '{"f":{},"r":{},"w":3}',
  ],
  [
    'writes names literally, including dots',
    `doc['a.b'] = 1; doc['0'] = 2; Object.assign(doc, { c: 3 }); Object.defineProperty(doc, 'e', { value: 4 })`,
    '{}',
    '{"a.b":1,"0":2,"c":3,"e":4}',
  ],
  ['removes fields', 'doc.r = [delete doc.a, delete doc.no, delete doc.id]', '{"a":1}', '{"r":[true,true,false]}'],
  ['fails if the parent is missing', '\ndoc.a.b = 1', '{}', /^script, line 2: TypeError: /],
  [
    'refuses to change the fields of the engine',
    'doc.x = 1;\n\ndoc.id = "new"',
    '{}',
    /^script, line 3: id is a reserved field$/,
  ],
  ['refuses an empty field name', 'doc[""] = 1', '{}', /^script, line 1: Field name cannot be null or empty$/],
  [
    'can catch the error of a refused change',
    'try { doc.run_id = 1 } catch (e) { doc.e = e.message; doc.i = e instanceof Error }',
    '{}',
    '{"e":"run_id is a reserved field","i":true}',
  ],

  // Variables that keep their values between documents
  [
    'keeps var variables and functions between documents',
    'var n = (n || 0) + 1; doc.n = n; function twice(x) { return 2 * x } doc.t = twice(n)',
    ['{}', '{}'],
    ['{"n":1,"t":2}', '{"n":2,"t":4}'],
  ],
  [
    'keeps undeclared variables between documents',
    `if (typeof seen === 'undefined') seen = []; seen.push(doc.id + doc.a); doc.n = seen.length; this.m = (this.m || 0) + 1; doc.m = m`,
    ['{"a":1}', '{"a":2}'],
    ['{"a":1,"n":1,"m":1}', '{"a":2,"n":2,"m":2}'],
  ],
  [
    'creates let, const and class again for each document',
    'const a = doc.a; let b = a + 1; class C { v() { return b } } doc.r = new C().v()',
    ['{"a":1}', '{"a":2}'],
    ['{"a":1,"r":2}', '{"a":2,"r":3}'],
  ],
  [
    'keeps its state after a failed document',
    'var n = (n || 0) + 1; doc.n = n; if (doc.bad) throw new Error("bad")',
    ['{}', '{"bad":true}', '{}'],
    ['{"n":1}', /^script, line 1: bad$/, '{"n":3}'],
  ],
  [
    'does not change the lists of an earlier document',
    'var kept; if (kept) kept.push(9); kept = doc.a',
    ['{"a":[1]}', '{"a":[2]}'],
    ['{"a":[1]}', '{"a":[2]}'],
  ],
  [
    'supports strict mode',
    `"use strict"; var n = (n || 0) + 1; doc.n = n; doc.t = this === globalThis; undeclared = 1`,
    '{}',
    /^script, line 1: ReferenceError/,
  ],
  ['uses sloppy mode by default', 'undeclared = 1; with ({ a: 2 }) { doc.a = a }', '{}', '{"a":2}'],
  [
    'has no modules, timers or access to the host',
    `doc.r = [typeof require, typeof process, typeof setTimeout, typeof fetch, typeof module].join()`,
    '{}',
    '{"r":"undefined,undefined,undefined,undefined,undefined"}',
  ],
  ['accepts a comment at the end', 'doc.a = 1 // one', '{}', '{"a":1}'],

  // Errors of the script
  [
    'reports the line of an error',
    '\n\nfunction f() {\n  return doc.no.x;\n}\nf()',
    '{}',
    /^script, line 4: TypeError: /,
  ],
  [
    'reports the line of an error that was thrown inside a builtin',
    'doc.a.map(function (x) {\n  throw new RangeError("no " + x)\n})',
    '{"a":[1]}',
    /^script, line 2: RangeError: no 1$/,
  ],
  ['reports a thrown value that is not an error', 'throw { a: 1 }', '{}', /^script: the script threw \{"a":1\}$/],
  [
    'continues after an endless recursion',
    'if (doc.bad) { (function f() { f() })() } doc.ok = true',
    ['{"bad":1}', '{}'],
    [/line 1: .*[sS]tack/, '{"ok":true}'],
  ],

  // The methods of rawDoc
  [
    'reads fields through rawDoc',
    `doc.r = [rawDoc.getString('d'), rawDoc.getStringList('a'), rawDoc.getInt('s'), rawDoc.getDouble('d'), rawDoc.getBoolean('t'), rawDoc.getString('no'),
      rawDoc.has('n'), rawDoc.hasNonNull('n'), rawDoc.isMultiValued('a'), rawDoc.length('a'), rawDoc.getId(), rawDoc.getNestedJson('o.k[1]'), rawDoc.getLong('s'), rawDoc.getFieldNames().length]`,
    '{"d":1.0,"a":["x",null,2.0],"s":"12","t":"true","n":null,"o":{"k":[1,2]}}',
    '{"d":1.0,"a":["x",null,2.0],"s":"12","t":"true","n":null,"o":{"k":[1,2]},"r":["1.0",["x",null,"2.0"],12,1,true,null,true,false,true,3,"d",2,12,7]}',
  ],
  [
    'writes fields through rawDoc',
    `rawDoc.setField('a', [1]); rawDoc.addToField('b', 1); rawDoc.setOrAdd('c', 'x'); rawDoc.setOrAdd('c', 'y'); rawDoc.removeField('d');
      rawDoc.renameField('e', 'f', UpdateMode.OVERWRITE); rawDoc.setNestedJson('g.h[0]', { i: 1 }); rawDoc.removeFromArray('k', 0); rawDoc.removeDuplicateValues('l', null)`,
    '{"d":1,"e":2,"k":[1,2],"l":[1,1]}',
    '{"k":[2],"a":[1],"b":[1],"c":["x","y"],"f":2,"g":{"h":[{"i":1}]},"l":[1]}',
  ],
  [
    'supports every update mode in rawDoc.update',
    `rawDoc.update('a', UpdateMode.APPEND, 2, 3); rawDoc.update('b', UpdateMode.OVERWRITE, 'x', 'y');
      const M = Java.type('com.kmwllc.lucille.core.UpdateMode'); rawDoc.update('b', M.SKIP, 'z')`,
    '{"a":1}',
    '{"a":[1,2,3],"b":["x","y"]}',
  ],
  [
    'shares changes between doc and rawDoc',
    `const a = doc.a; a.push(2); doc.n = rawDoc.length('a'); rawDoc.addToField('a', 3); doc.m = doc.a.length`,
    '{"a":[1]}',
    '{"a":[1,2,3],"n":2,"m":3}',
  ],
  [
    'drops and skips documents',
    `rawDoc.setDropped(true); rawDoc.setDropped(false); rawDoc.setSkipped(true); doc.r = [rawDoc.isDropped(), rawDoc.isSkipped()]`,
    '{}',
    '{"___skipped":true,"r":[false,true]}',
  ],
  [
    'adds and reads children',
    `rawDoc.addChild({ id: 'c', a: [1] }); doc.r = [rawDoc.hasChildren(), rawDoc.getChildren()[0].a[0]]; if (doc.x) rawDoc.removeChildren()`,
    ['{}', '{"x":1}'],
    ['{"___children":[{"id":"c","a":[1]}],"r":[true,1]}', '{"x":1,"r":[true,1]}'],
  ],
  [
    'refuses to change reserved fields through rawDoc',
    `doc.x = 1;\nrawDoc.setField('id', 1)`,
    '{}',
    /^script, line 2: id is a reserved field$/,
  ],
  ['refuses an unknown update mode', `rawDoc.update('a', 'appendd', 1)`, '{}', /UpdateMode\.APPEND/],
  [
    'has no access to Java',
    `Java.type('java.lang.System')`,
    '{}',
    /^script, line 1: Java\.type\("java\.lang\.System"\): there are no Java classes/,
  ],
];

describe.each([
  ['of a trusted config', true],
  ['in the sandbox', false],
])('ApplyJavascript, %s', (_, trusted) => {
  it.each(rows)('%s', async (_what, script, documents, expected) => {
    const inputs = (Array.isArray(documents) ? documents : [documents]).map((text) => withId(text));
    const outcomes = await runStage(ApplyJavascript, { script }, inputs, stageContext({ trusted }));
    const wanted = Array.isArray(expected) ? expected : [expected];
    for (const [i, one] of wanted.entries()) {
      const { documents: out, error } = outcomes[i] as (typeof outcomes)[number];
      if (one instanceof RegExp) expect(error).toMatch(one);
      else expect([error, ...out]).toEqual([undefined, withId(one)]);
    }
  });

  it('reads bytes as base64 and preserves unchanged bytes', async () => {
    const document = toDocument({ id: 'd' });
    document.set('b', new Uint8Array([1, 2]));
    document.set('o', toValue({ b: new Uint8Array([3]), n: 1 }));
    await processed(document, 'doc.t = doc.b; doc.u = doc.o.b; doc.o.n = 2', trusted);
    expect(document.toJson()).toBe('{"id":"d","b":"AQI=","o":{"b":"Aw==","n":2},"t":"AQI=","u":"Aw=="}');
    expect(document.get('t')).toBe('AQI=');
    expect((document.get('o') as Map<string, unknown>).get('b')).toEqual(new Uint8Array([3]));
  });

  it('satisfies the stage contract', () =>
    assertStageContract(ApplyJavascript, {
      params: { script: 'doc.copy = doc.list; doc.list.push(1); doc.n = doc.text.length' },
      document: { id: 'd', list: ['a'], text: 'abc' },
    }));

  it('settles promises before the document continues', async () => {
    const script = `doc.list.push(1);
      (async () => { await null; doc.after = doc.id; await Promise.resolve(); doc.list.push(2) })()`;
    const outcomes = await runStage(
      ApplyJavascript,
      { script },
      ['{"id":"1","list":[]}', '{"id":"2","list":[]}'],
      stageContext({ trusted }),
    );
    expect(outcomes.map(({ documents }) => documents)).toEqual([
      ['{"id":"1","list":[1,2],"after":"1"}'],
      ['{"id":"2","list":[1,2],"after":"2"}'],
    ]);
  });

  it('logs the output of console.log and print', async () => {
    const context = stageContext({ trusted });
    await runStage(
      ApplyJavascript,
      { script: `console.log('a', 1, { b: [doc.x] }); print(undefined)` },
      ['{"id":"d","x":null}'],
      context,
    );
    expect(context.logged).toEqual(['a 1 {"b":[null]}', 'undefined']);
  });

  it('reads the script from a file and names the file in errors', async () => {
    const scriptPath = join(mkdtempSync(join(tmpdir(), 'headrace-script-')), 'my script (1).js');
    writeFileSync(scriptPath, '\ufeffdoc.a = 1;\nif (doc.bad) null.x');
    const outcomes = await runStage(
      ApplyJavascript,
      { scriptPath },
      ['{"id":"1"}', '{"id":"2","bad":1}'],
      stageContext({ trusted }),
    );
    expect(outcomes[0]?.documents).toEqual(['{"id":"1","a":1}']);
    expect(outcomes[1]?.error).toContain(`${scriptPath}, line 2: TypeError`);
    writeFileSync(scriptPath, 'doc.a = 1;\n)');
    await expect(runStage(ApplyJavascript, { scriptPath }, [], stageContext({ trusted }))).rejects.toThrow(
      `${scriptPath}, line 2`,
    );
    await expect(
      runStage(ApplyJavascript, { scriptPath: '/no/such.js' }, [], stageContext({ trusted })),
    ).rejects.toThrow('/no/such.js');
  });

  it('does not reach the objects of the host', async () => {
    const escapes = [
      `doc.r = doc.constructor === undefined ? 'no' : doc.constructor.constructor('return typeof process')()`,
      `doc.r = rawDoc.getString.constructor('return typeof process')()`,
      `doc.r = doc.a.constructor.constructor('return typeof process')()`,
      `doc.r = console.log.constructor('return typeof process')()`,
      `doc.r = (function () { return this })().constructor.constructor('return typeof process')()`,
      `try { doc.id = 1 } catch (e) { doc.r = e.constructor.constructor('return typeof process')() }`,
      `doc.r = rawDoc.asMap().constructor.constructor('return typeof process')()`,
    ];
    for (const script of escapes) {
      const [outcome] = await runStage(ApplyJavascript, { script }, ['{"id":"d","a":[1]}'], stageContext({ trusted }));
      expect([script, JSON.parse(outcome?.documents[0] ?? 'null')?.r]).toEqual([
        script,
        expect.stringMatching(/^(no|undefined)$/),
      ]);
    }
  });
});

describe('a script of a trusted config', () => {
  it('continues with the next document after a script was terminated', async () => {
    const script = 'doc.a = 1; if (doc.endless) for (;;);';
    const stage = makeStage(ApplyJavascript, { script }, stageContext({ trusted: true }));
    await stage.start?.();
    // Only the endless document has a short time limit: a busy machine may be slow with the others.
    const processGuarded = (json: string, timeout = 60_000) => {
      const document = toDocument(JSON.parse(json));
      const hooks = globalThis as { hook?: () => void };
      hooks.hook = () => void stage.process(document);
      try {
        new Script('globalThis.hook()').runInThisContext({ timeout });
        return document.toJson();
      } catch (error) {
        return (error as { code?: string }).code;
      } finally {
        delete hooks.hook;
      }
    };
    expect(processGuarded('{"id":"1"}')).toBe('{"id":"1","a":1}');
    expect(processGuarded('{"id":"2","endless":true}', 50)).toBe('ERR_SCRIPT_EXECUTION_TIMEOUT');
    expect(processGuarded('{"id":"3"}')).toBe('{"id":"3","a":1}');
    await stage.stop?.();
  });

  it('logs rejected promises and continues', async () => {
    const context = stageContext({ trusted: true });
    const script = '(async () => {\n await null;\n throw new Error("lost") })()';
    const [outcome] = await runStage(ApplyJavascript, { script }, ['{"id":"d"}'], context);
    expect(outcome?.documents).toEqual(['{"id":"d"}']);
    await expect.poll(() => context.logged).toEqual(['script, line 3: a rejected promise was not handled: lost']);
  });
});

describe('validation of ApplyJavascript', () => {
  const problemOf = (params: Record<string, unknown>) => {
    try {
      makeStage(ApplyJavascript, params);
    } catch (error) {
      if (error instanceof RefusedParameters) return error.message;
      throw error;
    }
    return undefined;
  };

  it.each([
    [{}, 'script: Neither script nor scriptPath is given'],
    [{ script: '1', scriptPath: 'a.js' }, 'scriptPath: Both script and scriptPath are given'],
    [{ script: 'doc.a = 1;\nlet 5' }, 'script: script, line 2: Unexpected number'],
    [{ script: 'if (doc.a) return' }, 'script: script, line 1: Illegal return statement'],
    [{ script: '} for (;;) {' }, "script: script, line 1: Unexpected token '}'"],
    [{ script: 'let a;\nlet a' }, "script: script, line 2: Identifier 'a' has already been declared"],
    [{ scriptPath: 'later.js' }, undefined],
  ])('reports the problem of %j', (params, problem) => {
    expect(problemOf(params)).toBe(problem);
  });
});

function withId(text: string): string {
  return text === '{}' ? '{"id":"d"}' : `{"id":"d",${text.slice(1)}`;
}

async function processed(document: Document, script: string, trusted: boolean): Promise<void> {
  const stage = makeStage(ApplyJavascript, { script }, stageContext({ trusted }));
  await stage.start?.();
  await stage.process(document);
  await stage.stop?.();
}

it('the memory that scripts of uploads keep counts for their run, and is free after a failure', async () => {
  onTestFinished(() => limitMemory(defaultMemoryMb()));
  // 9 MiB for a thread.
  limitMemory(48);
  const script = 'var kept = kept || []; if (doc.keep) kept.push("x".repeat(doc.keep)); doc.kept = kept.length;';
  const documents = [{ id: '1' }, { id: '2', keep: 40_000_000 }, { id: '3', keep: 1000 }];
  const outcomes = await runStage(ApplyJavascript, { script }, documents, stageContext({ trusted: false }));
  expect(outcomes.map(({ error }) => error)).toEqual([
    undefined,
    expect.stringMatching(/^The script keeps \d+ MiB, and the run has less memory$/),
    undefined,
  ]);
  expect(outcomes[2]?.documents).toEqual(['{"id":"3","keep":1000,"kept":1}']);
});
