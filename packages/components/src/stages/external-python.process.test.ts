import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Document, HeadraceError } from '@headrace/engine';
import {
  assertStageContract,
  makeStage,
  RefusedParameters,
  runStage,
  stageContext,
  toDocument,
} from '@headrace/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExternalPython } from './external-python.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const home = process.cwd();
let folder: string;

// The stage searches for scripts in the working directory.
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-python-'));
  process.chdir(folder);
});

afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

function script(text: string, path = 'python/script.py'): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Returns for each document its JSON, or the message of its error. */
async function outcomes(
  text: string,
  documents: (string | Record<string, unknown>)[],
  { params = {}, context = stageContext() }: { params?: Record<string, unknown>; context?: typeof contextType } = {},
): Promise<(string | undefined)[]> {
  const results = await runStage(ExternalPython, { scriptPath: script(text), ...params }, documents, context);
  return results.map(({ error, documents: [document] }) => error ?? document);
}
const contextType = stageContext();

const noPython = 'this machine has no python3';
if (!hasPython) it.skipIf(process.env.CI !== 'true')(noPython, () => expect.fail(noPython));

describe.skipIf(!hasPython)('ExternalPython', () => {
  it('replaces the document with the result of the function', async () => {
    expect(
      await outcomes(
        `
def process_document(doc):
    doc['title'] = doc['title'].upper()
    doc['all'] = list(doc)
    del doc['old']
    doc['new'] = {'a': [1, 2.0, None, True], 'b.c': 10 ** 20}
    return doc
`,
        ['{"id":"1","title":"été","old":1,"n":9007199254740993,"d":1.0}'],
      ),
    ).toEqual([
      '{"id":"1","title":"ÉTÉ","n":9007199254740993,"d":1.0,"all":["id","title","old","n","d"],"new":{"a":[1,2.0,null,true],"b.c":100000000000000000000}}',
    ]);
  });

  it.each([
    ['None', 'None'],
    ['an empty text', `''`],
  ])('does not change the document if the function changes the dict and returns %s', async (_, result) => {
    const text = `
def process_document(doc):
    doc['a'] = 2
    return ${result}
`;
    expect(await outcomes(text, ['{"id":"1","a":1}'])).toEqual(['{"id":"1","a":1}']);
  });

  it('accepts a JSON text as the result', async () => {
    const text = `
def process_document(doc):
    return doc['r']
`;
    expect(
      await outcomes(text, [
        { id: '1', r: '{"a": 1}' },
        { id: '2', r: '[]' },
        { id: '3', r: '{' },
      ]),
    ).toEqual([
      '{"id":"1","a":1}',
      'python/script.py: TypeError: process_document returned a text that contains no JSON object; it must return a dict, which is the whole document, or None to leave it as it is',
      expect.stringMatching(/^python\/script.py: ValueError: process_document returned a text that is not JSON: /),
    ]);
  });

  it('names the field whose value is invalid', async () => {
    const text = `
def process_document(doc):
    own = []
    own.append(own)
    doc['bad'] = {'inf': float('inf'), 'own': own, 'set': {1}}[doc['what']]
    return doc
`;
    const documents = ['inf', 'own', 'set'].map((what) => JSON.stringify({ id: '1', what }));
    expect(await outcomes(text, documents)).toEqual([
      expect.stringMatching(/^python\/script.py: ValueError: field "bad": Out of range float values/),
      'python/script.py: ValueError: field "bad": Circular reference detected',
      'python/script.py: TypeError: field "bad": Object of type set is not JSON serializable',
    ]);
  });

  it.each(['[]', '5', 'True', 'object()', "{'a': float('nan')}", "{'a': {1, 2}}"])(
    'fails the document if the function returns %s',
    async (result) => {
      const text = `
def process_document(doc):
    return ${result}
`;
      expect(await outcomes(text, ['{"id":"1"}'])).toEqual([
        expect.stringMatching(/^python\/script.py: (Type|Value)Error: /),
      ]);
    },
  );

  it('preserves the fields of the engine and refuses invalid names', async () => {
    const text = `
def process_document(doc):
    if 'bad' in doc:
        return {'': 1}
    return {'id': 'other', 'run_id': 'other', '___dropped': True, 'seen': doc['run_id']}
`;
    expect(await outcomes(text, ['{"id":"1","run_id":"r","a":1}', '{"id":"2","bad":1}'])).toEqual([
      '{"id":"1","run_id":"r","seen":"r"}',
      'Field name cannot be null or empty',
    ]);
  });

  it('passes bytes as base64 and preserves unchanged bytes', async () => {
    const document = toDocument({ id: '1' });
    document.set('b', new Uint8Array([1, 2]));
    document.set('c', new Uint8Array([3]));
    await processed([document], "def process_document(doc):\n    return {**doc, 'c': doc['c'] + '=='}");
    expect(document.get('b')).toEqual(new Uint8Array([1, 2]));
    expect(document.get('c')).toBe('Aw====');
  });

  it('calls the configured function and keeps global variables', async () => {
    const text = `
n = 0
class Count:
    def __call__(self, doc):
        global n
        n += 1
        return {'n': n}
count = Count()
`;
    const params = { functionName: 'count' };
    expect(await outcomes(text, [{ id: '1' }, { id: '2' }], { params })).toEqual([
      '{"id":"1","n":1}',
      '{"id":"2","n":2}',
    ]);
  });

  it('imports modules from the folder of the script', async () => {
    script('def twice(x): return 2 * x', 'python/helper.py');
    const text = 'import helper\ndef process_document(doc): return {"n": helper.twice(doc["n"]), "name": __name__}';
    expect(await outcomes(text, [{ id: '1', n: 2 }])).toEqual(['{"id":"1","n":4,"name":"script"}']);
  });

  it('logs the output of the script and gives it an empty standard input', async () => {
    const context = stageContext();
    const text = `
import os, subprocess, sys
print('loading')
def process_document(doc):
    print('{"value": {}}')
    sys.stderr.write('to stderr\\n')
    os.system('echo from a process')
    os.write(1, b'raw\\n')
    return {'read': sys.stdin.read()}
`;
    expect(await outcomes(text, [{ id: '1', a: 1 }], { context })).toEqual(['{"id":"1","read":""}']);
    expect(context.logged.toSorted()).toEqual(
      ['{"value": {}}', 'from a process', 'loading', 'raw', 'to stderr'].toSorted(),
    );
  });

  it('reports the innermost line of the script in an error', async () => {
    const text = `
import json

def inner(x):
    return json.loads(x)

def process_document(doc):
    if 'exit' in doc:
        raise SystemExit(3)
    return inner(doc['x'])
`;
    expect(
      await outcomes(text, [{ id: '1', x: 'no' }, { id: '2' }, { id: '3', exit: 1 }, { id: '4', x: '{}' }]),
    ).toEqual([
      'python/script.py, line 5: JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
      "python/script.py, line 10: KeyError: 'x'",
      'python/script.py, line 9: SystemExit: 3',
      '{"id":"4"}',
    ]);
  });

  it('fails one document if the process dies, and starts another process for the others', async () => {
    const text = `
import os, sys
n = 0
def process_document(doc):
    global n
    n += 1
    if 'die' in doc:
        print('last words', file=sys.stderr, flush=True)
        os._exit(7)
    return {'n': n}
`;
    const documents = [
      { id: '1' },
      { id: '2', die: 1 },
      { id: '3' },
      { id: '4', die: 1 },
      { id: '5', die: 1 },
      { id: '6' },
    ];
    const died = 'python/script.py: the process of the script (python3) ended with exit code 7: last words';
    const expected = ['{"id":"1","n":1}', died, '{"id":"3","n":1}', died, died, '{"id":"6","n":1}'];
    expect(await outcomes(text, documents)).toEqual(expected);
    // The same documents, all in flight together.
    const stage = makeStage(ExternalPython, { scriptPath: script(text) });
    await stage.start?.();
    const inFlight = documents.map(async (fields) => {
      const document = toDocument(fields);
      return Promise.resolve(stage.process(document)).then(
        () => document.toJson(),
        (error: Error) => error.message,
      );
    });
    expect(await Promise.all(inFlight)).toEqual(expected);
    await stage.stop?.();
  });

  it('does not start if the script cannot be loaded', async () => {
    await expect(outcomes('x = 1\ndef process_document(doc:\n', [])).rejects.toThrow(
      /^python\/script.py, line 2: SyntaxError: /,
    );
    await expect(outcomes('x = 1\nimport no_such_module_at_all', [])).rejects.toThrow(
      "python/script.py, line 2: ModuleNotFoundError: No module named 'no_such_module_at_all'",
    );
    await expect(outcomes('def other(doc): pass', [])).rejects.toThrow(
      'python/script.py: LookupError: the script has no function process_document',
    );
    await expect(outcomes('import os; os._exit(3)', [])).rejects.toThrow(/ended with exit code 3$/);
    await expect(outcomes('', [], { params: { pythonExecutable: '/no/such/python' } })).rejects.toThrow(
      /\/no\/such\/python\) cannot be run: .*ENOENT/,
    );
    await expect(outcomes('', [], { params: { scriptPath: 'nowhere.py' } })).rejects.toThrow(
      'There is no file nowhere.py',
    );
  });

  it('finds the script by its name in the folders of scripts', async () => {
    const text = 'def process_document(doc): return {"file": __file__}';
    for (const place of [
      'python',
      'src/main/resources',
      'src/test/resources',
      'src/test/resources/ExternalPythonTest',
    ]) {
      script(text, `${place}/here.py`);
      const [outcome] = await runStage(ExternalPython, { scriptPath: 'here.py' }, [{ id: '1' }]);
      expect(outcome?.documents[0]).toContain(`${place}/here.py`);
      rmSync(`${place}/here.py`);
    }
  });

  it('restricts an upload to the scripts in these folders', async () => {
    const untrusted = () => ({ context: stageContext({ trusted: false }) });
    const text = 'def process_document(doc): return {"ok": True}';
    expect(await outcomes(text, [{ id: '1' }], untrusted())).toEqual(['{"id":"1","ok":true}']);
    script(text, 'elsewhere.py');
    script(text, 'python/deeper/script.py');
    symlinkSync(join(folder, 'elsewhere.py'), 'python/link.py');
    for (const scriptPath of [
      'elsewhere.py',
      join(folder, 'elsewhere.py'),
      'python/deeper/script.py',
      'python/link.py',
    ]) {
      await expect(outcomes(text, [], { params: { scriptPath }, ...untrusted() })).rejects.toThrow(
        `There is no file ${scriptPath} in ./python, `,
      );
    }
    script('one', 'requirements.txt');
    await expect(
      outcomes(text, [], { params: { requirementsPath: 'requirements.txt' }, ...untrusted() }),
    ).rejects.toThrow('There is no file requirements.txt in ./python');
    for (const pythonExecutable of ['/bin/sh', './python/script.py', 'rm', 'python/../rm']) {
      const error = await outcomes(text, [], { params: { pythonExecutable }, ...untrusted() }).catch((e: Error) => e);
      expect(error).toBeInstanceOf(HeadraceError);
      expect(error).toMatchObject({ message: `An uploaded config cannot run ${pythonExecutable}` });
    }
  });

  it('installs requirements into ./python/venv and runs scripts in this environment', async () => {
    wheel('tiny_package', 'tiny_package-1.0-py3-none-any.whl');
    writeFileSync('requirements.txt', './tiny_package-1.0-py3-none-any.whl\n');
    const text = 'import tiny_package, sys\ndef process_document(doc): return {"v": tiny_package.V, "p": sys.prefix}';
    const params = { requirementsPath: 'requirements.txt' };
    const wanted = [expect.stringMatching(/^\{"id":"1","v":1,"p":".*\/python\/venv"\}$/)];
    expect(await outcomes(text, [{ id: '1' }], { params })).toEqual(wanted);
    expect(await outcomes(text, [{ id: '1' }])).toEqual(wanted);
    writeFileSync('requirements.txt', './no-such-wheel-1.0-py3-none-any.whl\n');
    await expect(outcomes(text, [], { params })).rejects.toThrow(
      /requirements.txt cannot be installed into .*\/python\/venv: [\s\S]*no-such-wheel/,
    );
    // The other pipeline threads leave the installation to the first thread.
    expect(await outcomes(text, [{ id: '1' }], { params, context: stageContext({ threadNumber: 2 }) })).toEqual(wanted);
  });

  it('satisfies the stage contract', () =>
    assertStageContract(ExternalPython, {
      params: { scriptPath: script('def process_document(doc):\n    doc["n"] = len(doc["a"])\n    return doc') },
      document: { id: '1', a: ['x'], o: { k: [1] } },
    }));

  it('validates the parameters without reading the script', () => {
    const problemOf = (params: Record<string, unknown>) => {
      try {
        makeStage(ExternalPython, params);
      } catch (error) {
        if (error instanceof RefusedParameters) return error.message;
        throw error;
      }
      return undefined;
    };
    expect(problemOf({ scriptPath: 'a.py' })).toBeUndefined();
    expect(problemOf({ scriptPath: 'a.py', port: 25333 })).toBeUndefined();
    expect(problemOf({ scriptPath: 'a.py', port: '25333' })).toBeUndefined();
    expect(problemOf({ scriptPath: 'a.py', port: 'first' })).toBe('port: port must be a number, was "first"');
    expect(problemOf({ scriptPath: 'a.js' })).toMatch(/^scriptPath: .*\.py/);
    expect(problemOf({ scriptPath: 'a.py', functionName: 'a b' })).toMatch(/^functionName: /);
    expect(existsSync('python')).toBe(false);
  });
});

async function processed(documents: Document[], text: string): Promise<void> {
  const stage = makeStage(ExternalPython, { scriptPath: script(text) });
  await stage.start?.();
  for (const document of documents) await stage.process(document);
  await stage.stop?.();
}

/** Creates a package that pip can install without a network. */
function wheel(name: string, file: string): void {
  const info = `${name}-1.0.dist-info`;
  const files = {
    [`${name}.py`]: 'V = 1\n',
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: `${name}.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  };
  const pack =
    'import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as z:\n  for k, v in json.loads(sys.argv[2]).items(): z.writestr(k, v)';
  execFileSync('python3', ['-c', pack, file, JSON.stringify(files)]);
}
