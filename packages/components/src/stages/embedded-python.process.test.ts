import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, type Stage, toValue } from '@headrace/engine';
import {
  assertStageContract,
  makeStage,
  RefusedParameters,
  runStage,
  stageContext,
  toDocument,
} from '@headrace/engine/testing';
import { pyodideCommand } from '@headrace/sandbox/python';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pyodideFolder } from '../scripts/pyodide-folder.ts';
import { EmbeddedPython } from './embedded-python.ts';

/**
 * A test case: its name, the code, a document as JSON, and the expected JSON without the id, or a pattern of the
 * expected error.
 */
type Row = [what: string, code: string, document: string, expected: string | RegExp];

const rows: Row[] = [
  // Reading fields
  [
    'reads values with their types',
    "doc.t = ' '.join(type(doc[name]).__name__ for name in list(doc)[1:])",
    '{"s":"a","n":1,"d":1.0,"b":true,"no":null,"l":[],"big":9007199254740993}',
    '{"s":"a","n":1,"d":1.0,"b":true,"no":null,"l":[],"big":9007199254740993,"t":"str int float bool NoneType list int"}',
  ],
  [
    'reads by attribute, by name and with a default',
    "doc.r = [doc.a, doc['a'], doc.get('a'), doc.get('no'), getattr(doc, 'no', 2), hasattr(doc, 'a'), hasattr(doc, 'no'), 'a' in doc]",
    '{"a":1}',
    '{"a":1,"r":[1,1,1,null,2,true,false,true]}',
  ],
  [
    'reads null inside lists and objects as None',
    'doc.r = doc.a[0] is None and doc.o.k is None',
    '{"a":[null],"o":{"k":null}}',
    '{"a":[null],"o":{"k":null},"r":true}',
  ],
  ['fails on a missing attribute', 'doc.no', '{}', /, line \d+: AttributeError: there is no field no$/],
  ['fails on a missing key', "doc['no']", '{}', /, line \d+: KeyError: 'no'$/],
  [
    'iterates',
    'doc.r = [list(doc), list(doc.keys()), [k for k, v in doc.items()], len(doc), list(doc.values()), {**doc} == dict(doc)]',
    '{"a":1}',
    '{"a":1,"r":[["id","a"],["id","a"],["id","a"],2,["d",1],true]}',
  ],
  [
    'reads a field instead of a method of dict, except keys and items',
    "doc.r = [doc.get, doc.copy, doc['keys'], callable(doc.keys), doc.o.pop, callable(doc.o.items)]",
    '{"get":1,"copy":2,"keys":3,"o":{"pop":4,"items":5}}',
    '{"get":1,"copy":2,"keys":3,"o":{"pop":4,"items":5},"r":[1,2,3,true,4,true]}',
  ],

  // Changing values in place
  [
    'changes lists and objects in place',
    "doc.a.append(2); doc.a[0] = 'x'; doc.o.l.append([1]); doc.o.n = 5; doc.o['m'] = {}; del doc.o.x",
    '{"a":[1.0],"o":{"b":1,"10":2,"l":[],"x":1}}',
    '{"a":["x",2],"o":{"b":1,"10":2,"l":[[1]],"n":5,"m":{}}}',
  ],
  [
    'preserves the kinds of numbers',
    'doc.a.append(2)',
    '{"a":[1.0,1e10,9007199254740993],"d":1.0}',
    '{"a":[1.0,1.0E10,9007199254740993,2],"d":1.0}',
  ],
  ['removes elements', 'del doc.a[1]', '{"a":[1,2,3]}', '{"a":[1,3]}'],
  ['fails for an index out of range', 'doc.a[3] = 1', '{"a":[1]}', /IndexError: list assignment index out of range$/],
  ['copies assigned values', 'doc.b = doc.a; doc.b.append(2); doc.a.append(3)', '{"a":[1]}', '{"a":[1,3],"b":[1,2]}'],
  [
    'writes values that JSON lacks when a list or object is changed in place',
    'import datetime; doc.a += [(1, 2), float("inf"), datetime.date(2020, 1, 2)]; doc.o[1] = {3}',
    '{"a":[],"o":{}}',
    '{"a":[[1,2],"Infinity","2020-01-02"],"o":{"1":[3]}}',
  ],
  [
    'fails for a value without a JSON form that is written in place',
    'doc.a.append(object())',
    '{"a":[]}',
    /TypeError: field "a": a value of the type object/,
  ],
  [
    'fails if an assigned value contains itself',
    'a = []; a.append(a); doc.b = a',
    '{}',
    /, line \d+: RecursionError: field "b": /,
  ],
  ['fails if a list contains itself', 'doc.a.append(doc.a)', '{"a":[]}', /(RecursionError|ValueError): field "a": /],

  // Writing fields
  [
    'writes scalars',
    "doc.s = 'é\\n\\ud800'; doc.i = 5; doc.d = 4 / 2; doc.b = False; doc.n = None; doc.x = 2 ** 70",
    '{}',
    '{"s":"é\\n\\ud800","i":5,"d":2.0,"b":false,"n":null,"x":1180591620717411303424}',
  ],
  [
    'writes tuples, sets, dates and enums as JSON',
    `import datetime, enum
class Kind(enum.IntEnum): A = 3
class Name(str): pass
doc.r = [(1,), {2}, Kind.A, Name('n'), b'\\x01\\x02', float('nan'), -float('inf'), datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)]
doc.o = {1: 2, None: {'x.y': [None]}}`,
    '{}',
    '{"r":[[1],[2],3,"n","AQI=","NaN","-Infinity","2020-01-02T03:04:05Z"],"o":{"1":2,"None":{"x.y":[null]}}}',
  ],
  [
    'fails for a value without a JSON form',
    'doc.x = object()',
    '{}',
    /, line \d+: TypeError: field "x": a value of the type object cannot/,
  ],
  [
    'writes names literally, including dots',
    "doc['a.b'] = 1; doc['0'] = 2; setattr(doc, 'c', 3); doc.update(e=4); doc |= {'f': 5}; doc.setdefault('g', 6); doc.__proto__ = 7",
    '{}',
    '{"a.b":1,"0":2,"c":3,"e":4,"f":5,"g":6,"__proto__":7}',
  ],
  ['fails if the parent is missing', 'doc.a.b = 1', '{}', /AttributeError: there is no field a$/],
  ['removes fields', "del doc.a; del doc['b']; doc.r = doc.pop('c')", '{"a":1,"b":2,"c":3,"d":4}', '{"d":4,"r":3}'],
  [
    'moves a field that is removed and written again to the end',
    'x = doc.a; del doc.a; doc.a = x',
    '{"a":1,"b":2}',
    '{"b":2,"a":1}',
  ],
  ['fails to remove a missing field', 'del doc.a', '{}', /AttributeError: there is no field a$/],
  ['refuses to change the fields of the engine', 'doc.id = 1', '{}', /, line \d+: id is a reserved field$/],
  ['refuses to remove the fields of the engine', 'doc.clear()', '{}', /, line \d+: id is a reserved field$/],
  ['refuses an empty name', "doc[''] = 1", '{}', /, line \d+: Field name cannot be null or empty$/],
  ['refuses names that are not texts', 'doc[1] = 1', '{}', /TypeError: the name of a field must be a str$/],
  [
    'can catch the error of a refused change',
    'try:\n  doc.run_id = 1\nexcept Exception as e:\n  doc.e = str(e)',
    '{}',
    '{"e":"run_id is a reserved field"}',
  ],
  [
    'supports copy.copy and copy.deepcopy of doc',
    'import copy; a = copy.deepcopy(doc); a.l.append(2); b = copy.copy(doc); doc.r = [a, b.l]',
    '{"l":[1]}',
    '{"l":[1],"r":[{"id":"d","l":[1,2]},[1]]}',
  ],

  // The methods of rawDoc
  [
    'reads fields through rawDoc',
    "doc.r = [rawDoc.getId(), rawDoc.getString('n'), rawDoc.getInt('s'), rawDoc.has('no'), rawDoc.getString('no'), rawDoc.getStringList('l'), rawDoc.getNestedJson('o.k[0]'), rawDoc.length('l')]",
    '{"n":1,"s":"7","l":[1,"x"],"o":{"k":[5]}}',
    '{"n":1,"s":"7","l":[1,"x"],"o":{"k":[5]},"r":["d","1",7,false,null,["1","x"],5,2]}',
  ],
  [
    'shares changes between doc and rawDoc',
    "a = doc.a; a.append(2); doc.b = 1; doc.n = rawDoc.length('a'); rawDoc.addToField('a', 3); doc.m = len(doc.a); rawDoc.removeField('b'); doc.h = 'b' in doc; doc.l.append(rawDoc.has('b'))",
    '{"a":[1],"l":[]}',
    '{"a":[1,2,3],"l":[false],"n":2,"m":3,"h":false}',
  ],
  [
    'keeps lists live that a rawDoc call does not change',
    "a = doc.a; rawDoc.setField('b', [1]); a.append(2); doc.b.append(2)",
    '{"a":[1]}',
    '{"a":[1,2],"b":[1,2]}',
  ],
  [
    'supports every update mode in rawDoc.update',
    `import java
M = java.type('com.kmwllc.lucille.core.UpdateMode')
rawDoc.update('a', UpdateMode.APPEND, 2, 3); rawDoc.update('b', UpdateMode.OVERWRITE, 'x', 'y'); rawDoc.update('b', M.SKIP, 'z')`,
    '{"a":1}',
    '{"a":[1,2,3],"b":["x","y"]}',
  ],
  [
    'adds children and skips documents through rawDoc',
    "rawDoc.addChild({'id': 'c', 'a': (1,)}); doc.r = [rawDoc.hasChildren(), rawDoc.getChildren()[0].a[0]]; rawDoc.setSkipped(True)",
    '{}',
    '{"___children":[{"id":"c","a":[1]}],"r":[true,1],"___skipped":true}',
  ],
  [
    'refuses to change reserved fields through rawDoc',
    "rawDoc.setField('id', 1)",
    '{}',
    /, line \d+: id is a reserved field$/,
  ],
  [
    'has no access to Java',
    "import java; java.type('java.lang.System')",
    '{}',
    /java\.type\("java\.lang\.System"\): there are no Java classes/,
  ],
  [
    'has the standard library and no access to the host',
    `import csv, re, hashlib, unicodedata, statistics
missing = []
for name in ['js', 'pyodide_js', 'numpy']:
  try: __import__(name)
  except ImportError: missing.append(name)
doc.r = missing`,
    '{}',
    '{"r":["js","pyodide_js","numpy"]}',
  ],
];

// Starting Python takes seconds, so all rows share one process.
const script = `n = globals().get('n', 0) + 1
code = doc.pop('code', '')

def inner():
    import json
    json.loads('no')

if code == 'count': doc.n = n
elif code == 'inner': inner()
else: exec(code)
`;
/** The time limit for a start on a busy machine. */
const MILLIS_TO_START = 10 * 60_000;
const scriptPath = join(mkdtempSync(join(tmpdir(), 'headrace-script-')), 'my script (1).py');

describe.each([
  ['of a trusted config', 'script', true, { script }],
  ['of an upload, from a file', scriptPath, false, { scriptPath }],
])('EmbeddedPython, %s', (_, name, trusted, params) => {
  const context = stageContext({ trusted });
  let stage: Stage;

  beforeAll(async () => {
    writeFileSync(scriptPath, script);
    stage = makeStage(EmbeddedPython, params, context);
    await stage.start?.();
  }, MILLIS_TO_START);

  afterAll(() => stage.stop?.());

  async function processed(document: Document, code: string): Promise<string> {
    document.set('code', code);
    try {
      await stage.process(document);
      return document.toJson();
    } catch (error) {
      return (error as Error).message;
    }
  }

  it.each(rows)('%s', async (_what, code, document, expected) => {
    const found = await processed(toDocument(withId(document)), code);
    if (typeof expected === 'string') expect(found).toBe(withId(expected));
    else expect(found).toMatch(expected);
  });

  it('reports the innermost line of the script', async () => {
    expect(await processed(toDocument({ id: 'd' }), 'inner')).toBe(
      `${name}, line 6: JSONDecodeError: Expecting value: line 1 column 1 (char 0)`,
    );
  });

  it('reads bytes as base64 and preserves unchanged bytes', async () => {
    const document = toDocument({ id: 'd' });
    document.set('b', new Uint8Array([1, 2]));
    document.set('o', toValue({ b: new Uint8Array([3]), n: 1 }));
    expect(await processed(document, 'doc.t = doc.b; doc.u = doc.o.b; doc.o.n = 2')).toBe(
      '{"id":"d","b":"AQI=","o":{"b":"Aw==","n":2},"t":"AQI=","u":"Aw=="}',
    );
    expect(document.get('t')).toBe('AQI=');
    expect(document.get('o')).toEqual(
      new Map<string, unknown>([
        ['b', new Uint8Array([3])],
        ['n', 2],
      ]),
    );
  });

  it('keeps global variables and the order of documents in flight', async () => {
    const documents = Array.from({ length: 20 }, (_, i) => toDocument({ id: `${i}` }));
    const found = await Promise.all(documents.map((document) => processed(document, 'count')));
    const numbers = found.map((json) => (JSON.parse(json) as { n: number }).n);
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] as number) + i));
  });

  it('logs what the script prints', async () => {
    await processed(toDocument({ id: 'd' }), 'import sys; print("to", "stdout"); print("{}", file=sys.stderr)');
    // The output arrives on a different pipe than the document.
    await expect.poll(() => context.logged.slice(-2)).toEqual(['to stdout', '{}']);
  });
});

describe('EmbeddedPython', () => {
  it(
    'satisfies the stage contract',
    () =>
      assertStageContract(EmbeddedPython, {
        params: { script: 'doc.copy = doc.list\ndoc.list.append(1)\ndoc.n = len(doc.text)' },
        document: { id: 'd', list: ['a'], text: 'abc' },
      }),
    4 * MILLIS_TO_START,
  );

  it(
    'does not start with invalid Python',
    async () => {
      await expect(runStage(EmbeddedPython, { script: '\nx = = 1' }, [])).rejects.toThrow(
        'script, line 2: SyntaxError: invalid syntax',
      );
    },
    MILLIS_TO_START,
  );

  it(
    'limits the time and memory of an uploaded script and restarts it',
    async () => {
      const script = `n = globals().get('n', 0) + 1
if 'loop' in doc:
    while True:
        try:
            while True: pass
        finally: pass
if 'eat' in doc:
    kept = ['x']
    while True: kept = kept * 2
if 'deep' in doc:
    def down(): down()
    down()
doc.n = n`;
      const documents = [{ id: '1', loop: 1 }, { id: '2', deep: 1 }, { id: '3', eat: 1 }, { id: '4' }];
      const outcomes = await runStage(EmbeddedPython, { script }, documents, stageContext({ trusted: false }));
      expect(outcomes.map(({ error, documents: [document] }) => error ?? document)).toEqual([
        'script, line 5: took more than 5000 ms of processor time for one document',
        expect.stringMatching(/^script, line 11: RecursionError: /),
        'script, line 9: MemoryError',
        '{"id":"4","n":1}',
      ]);
    },
    MILLIS_TO_START,
  );

  it(
    'ends endless work of a trusted script after its time limit',
    async () => {
      const script = `n = globals().get('n', 0) + 1
while 'loop' in doc: pass
if 'match' in doc:
    import re; re.match('(a*)*$', 'a' * 100 + 'b')
doc.n = n`;
      const stage = makeStage(EmbeddedPython, { script }, stageContext({ computeMillis: 500 }));
      onTestFinished(() => stage.stop?.());
      await stage.start?.();
      for (const [field, line] of [
        ['loop', 2],
        ['match', 4],
      ] as const) {
        await expect(stage.process(toDocument({ id: '1', [field]: 1 }))).rejects.toMatchObject({
          code: 'HR_STAGE_OVERDUE',
          message: `script, line ${line}: took more than 500 ms of processor time for one document (worker.maxProcessingSecs)`,
        });
      }
      const after = toDocument({ id: '2' });
      await stage.process(after);
      expect(after.toJson()).toBe('{"id":"2","n":3}');
    },
    MILLIS_TO_START,
  );

  it('prevents JavaScript from leaving the Python process', () => {
    const { command, args } = pyodideCommand(pyodideFolder(), 256 * 1024 * 1024, false);
    const probe = `(async () => {
      const tries = {
        read: () => fs.readFileSync('/etc/passwd'),
        write: () => fs.writeFileSync('/tmp/headrace-escape', ''),
        spawn: () => process.getBuiltinModule('node:child_process').execSync('ls'),
        thread: () => new (process.getBuiltinModule('node:worker_threads').Worker)('1', { eval: true }),
        connect: () => new Promise((_, reject) => process.getBuiltinModule('node:net').connect(1, '127.0.0.1').on('error', reject)),
        evaluate: () => (() => {}).constructor('return 1')(),
        signal: () => process.kill(process.ppid, 0),
      };
      const found = {};
      for (const [name, attempt] of Object.entries(tries)) {
        try { await attempt(); found[name] = 'done' } catch (error) { found[name] = error.code ?? error.name }
      }
      console.log(JSON.stringify({ ...found, environment: Object.keys(process.env) }));
    })()`;
    const program = (args.at(-1) as string).replace(/return \(async function[\s\S]*/, `return ${probe} })`);
    const { stdout } = spawnSync(command, [...args.slice(0, -1), program], { env: {}, encoding: 'utf8' });
    const denied = 'ERR_ACCESS_DENIED';
    expect(JSON.parse(stdout)).toEqual({
      read: denied,
      write: denied,
      spawn: denied,
      thread: denied,
      connect: denied,
      evaluate: 'EvalError',
      signal: 'TypeError',
      environment: [],
    });
  });

  it('explains how to install Pyodide if it is missing', () => {
    const missing = () => {
      throw new Error('Cannot find module');
    };
    expect(() => pyodideFolder(missing)).toThrow(
      expect.objectContaining({
        message: 'EmbeddedPython needs the package pyodide, which is not installed',
        hint: expect.stringContaining('npm install pyodide'),
      }),
    );
  });

  it('requires exactly one of script and scriptPath', () => {
    expect(() => makeStage(EmbeddedPython, {})).toThrow(RefusedParameters);
    expect(() => makeStage(EmbeddedPython, { script: '1', scriptPath: 'a.py' })).toThrow(RefusedParameters);
    expect(() => makeStage(EmbeddedPython, { script_path: 'a.py' })).toThrow(/script_path/);
  });
});

function withId(text: string): string {
  return text === '{}' ? '{"id":"d"}' : `{"id":"d",${text.slice(1)}`;
}
