import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { enforcePolicy, type Policy, STRICT_POLICY, type UsableBoundary } from '@headrace/engine';
import { makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { boundariesHere, lockedIn, statusOf } from '@headrace/sandbox/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedPython } from './embedded-python.ts';
import { ExternalPython } from './external-python.ts';

const boundaries = await boundariesHere();
const MILLIS = 10 * 60_000;
const hasPython = spawnSync('python3', ['--version']).status === 0;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'headrace-uploads-')));
const store = join(folder, 'store.db');
const escaped = join(folder, 'escaped.db');
const context = () => stageContext({ trusted: false });

beforeAll(() => {
  const database = new DatabaseSync(store);
  database.exec("CREATE TABLE secrets AS SELECT 'hunter2' AS password");
  database.close();
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void enforcePolicy(undefined));

/** Ways in which Python code can reach JavaScript's `Object`. */
const WAYS_TO_OBJECT = {
  'the modules of Pyodide': `Object = sys.modules['pyodide_js._api'].constructor`,
  'the closure of rawDoc.has': `
ask = [cell.cell_contents for cell in rawDoc.has.__closure__ if type(cell.cell_contents).__name__ == 'JsProxy'][0]
Object = getattr(ask.constructor.prototype, '__proto__').constructor`,
};

/** The escape: a getter on a prototype is called with \`globalThis\`, which has \`process\`. */
const escapeBy = (way: string) => `
import sys
from pyodide.ffi import create_proxy, to_js
doc.steps = []
got = []
${way}
doc.steps.append('Object')
getter = create_proxy(lambda this: got.append(this), capture_this=True)
Object.defineProperty(Object.prototype, 'XMLHttpRequest',
    to_js({'get': getter, 'configurable': True}, dict_converter=Object.fromEntries))
sys.modules['pyodide_js._api'].public_api.FS.createLazyFile('/', 'x', 'y', True, False)
doc.steps.append('globalThis')
process = got[0].process
doc.pid = process.pid
sqlite = process.getBuiltinModule('node:sqlite')
database = sqlite.DatabaseSync.new('${store}')
doc.password = database.prepare('SELECT * FROM secrets').all()[0].password
database.exec("VACUUM INTO '${escaped}'")
process._debugProcess(process.ppid)
`;

describe.each(boundaries)('Python of an upload, in the boundary of %s', (_, boundary) => {
  const policy: Policy = { ...STRICT_POLICY, boundary };
  beforeEach(() => void enforcePolicy(policy));

  it.each(Object.entries(WAYS_TO_OBJECT))(
    'cannot escape through %s',
    async (_way, code) => {
      const stage = makeStage(EmbeddedPython, { script: escapeBy(code) }, context());
      onTestFinished(() => stage.stop?.());
      await stage.start?.();
      const document = toDocument({ id: 'd' });
      await expect(stage.process(document)).rejects.toThrow(/TypeError|AttributeError|JsException/);
      expect(document.toJson()).not.toContain('hunter2');
      expect(existsSync(escaped)).toBe(false);
    },
    MILLIS,
  );

  it(
    'changes documents, calls rawDoc, prints, and reports the line of an error',
    async () => {
      const script = `doc.n = rawDoc.length('list')
print('hello')
if 'bad' in doc: doc.no`;
      const here = context();
      const results = await runStage(
        EmbeddedPython,
        { script },
        [
          { id: '1', list: [1, 2] },
          { id: '2', bad: 1 },
        ],
        here,
      );
      expect(results.map(({ error, documents: [document] }) => error ?? document)).toEqual([
        '{"id":"1","list":[1,2],"n":2}',
        'script, line 3: AttributeError: there is no field no',
      ]);
      expect(here.logged).toContain('hello');
    },
    MILLIS,
  );

  it(
    'does not exceed the memory limit with buffers of JavaScript',
    async () => {
      const script = `from pyodide.ffi import to_js
kept = []
try:
    while 'eat' in doc: kept.append(to_js(bytes(32 << 20)))
except BaseException as error:
    doc.error = type(error).__name__
doc.buffers = len(kept)
kept.clear()`;
      const stage = makeStage(EmbeddedPython, { script }, context());
      onTestFinished(() => stage.stop?.());
      await stage.start?.();
      const [tool] = boundariesBelow(process.pid);
      const pid = lockedIn(tool as number);
      const document = toDocument({ id: '1', eat: 1 });
      await stage.process(document);
      expect(document.get('error')).toMatch(/ConversionError|JsException|MemoryError/);
      expect(document.get('buffers')).toBeGreaterThan(0);
      expect(Number(statusOf(pid, 'VmHWM')) / 1024).toBeLessThan(512);
    },
    MILLIS,
  );
});

describe.runIf(boundaries.length > 0)('an endless Python script of an upload', () => {
  it(
    'is terminated after its limit of processor time if Python cannot be interrupted',
    async () => {
      enforcePolicy({ ...STRICT_POLICY, boundary: (boundaries[0] as [string, UsableBoundary])[1] });
      const script = `
if 'burn' in doc:
    sum(range(10 ** 13))
doc.n = 1`;
      const results = await runStage(EmbeddedPython, { script }, [{ id: '1', burn: 1 }, { id: '2' }], context());
      expect(results.map(({ error, documents: [document] }) => error ?? document)).toEqual([
        expect.stringMatching(/took more than 10 s of processor time/),
        '{"id":"2","n":1}',
      ]);
    },
    MILLIS,
  );
});

describe.skipIf(!hasPython).each(boundaries)('ExternalPython of an upload, in the boundary of %s', (_, boundary) => {
  const home = process.cwd();
  beforeEach(() => {
    enforcePolicy({ ...STRICT_POLICY, never: [...STRICT_POLICY.never, store], boundary });
    const place = mkdtempSync(join(folder, 'work-'));
    mkdirSync(join(place, 'python'));
    process.chdir(place);
  });
  afterEach(() => process.chdir(home));

  const run = async (text: string, params = {}) => {
    writeFileSync('python/script.py', text);
    const [result] = await runStage(ExternalPython, { scriptPath: 'script.py', ...params }, [{ id: '1' }], context());
    return result?.error ?? result?.documents[0];
  };

  it('runs with the libraries of the machine and imports modules from the folder of the script', async () => {
    writeFileSync('python/helper.py', 'def twice(x): return 2 * x');
    const text = `
import ctypes, decimal, hashlib, helper, json, sqlite3, ssl, threading, zlib
threads = [threading.Thread(target=lambda: None) for _ in range(4)]
for thread in threads: thread.start()
def process_document(doc): return {'n': helper.twice(4), 'x': hashlib.sha256(b'').hexdigest()[:4]}`;
    expect(await run(text)).toBe('{"id":"1","n":8,"x":"e3b0"}');
  });

  it('is refused if uploads may write the files of its Python', async () => {
    const place = process.cwd();
    mkdirSync('python/venv/bin', { recursive: true });
    writeFileSync('python/venv/bin/python', '');
    enforcePolicy({ ...STRICT_POLICY, write: [place], boundary });
    await expect(run('def process_document(doc): return doc')).rejects.toMatchObject({
      code: 'HR_POLICY_REFUSED',
      message: `Uploaded configs may write to ${place}/python/venv/lib, so they may not run Python from this directory`,
    });
  });

  it('cannot read other files, write files, connect or start processes', async () => {
    let connections = 0;
    const listener = createServer(() => void connections++);
    await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as { port: number };
    const text = `
import ctypes, os, socket, subprocess
def attempt(what):
    try: return repr(what())
    except BaseException as error: return type(error).__name__
def process_document(doc):
    return {'found': [attempt(what) for what in [
        lambda: open('/etc/passwd'),
        lambda: open('${store}'),
        lambda: open('/proc/${process.pid}/environ'),
        lambda: open('python/new.py', 'w'),
        lambda: open(os.path.join(os.path.dirname(__file__), 'new.py'), 'w'),
        lambda: open('/tmp/new', 'w'),
        lambda: socket.create_connection(('127.0.0.1', ${port})),
        lambda: subprocess.run(['/bin/true']),
        lambda: os.fork(),
        lambda: os.kill(${process.pid}, 9),
        lambda: bytearray(2 << 30),
    ]], 'fork': ctypes.CDLL(None).fork(), 'environment': os.environ.get('PATH')}`;
    expect(JSON.parse((await run(text)) ?? '')).toEqual({
      id: '1',
      found: [
        ...['FileNotFoundError', 'FileNotFoundError', 'FileNotFoundError', 'FileNotFoundError', 'OSError'],
        ...[
          expect.stringMatching(/FileNotFoundError|OSError/),
          'PermissionError',
          'PermissionError',
          'PermissionError',
        ],
        ...['PermissionError', 'MemoryError'],
      ],
      fork: -1,
      environment: null,
    });
    expect(connections).toBe(0);
    expect(readdirSync('python')).not.toContain('new.py');
  });

  it('runs in the virtual environment of the server', async () => {
    spawnSync('python3', ['-m', 'venv', '--without-pip', 'python/venv']);
    const site = readdirSync('python/venv/lib').map((version) => join('python/venv/lib', version, 'site-packages'));
    writeFileSync(join(site[0] as string, 'installed.py'), 'V = 1');
    const text = 'import installed, sys\ndef process_document(doc): return {"v": installed.V, "p": sys.prefix}';
    expect(JSON.parse((await run(text)) ?? '')).toMatchObject({ v: 1, p: join(process.cwd(), 'python/venv') });
  });

  it('fails a document on which it computes longer than worker.maxProcessingSecs', async () => {
    writeFileSync('python/script.py', 'def process_document(doc):\n    while doc["id"] == "1": pass');
    const limited = stageContext({ trusted: false, computeMillis: 1000 });
    const documents = [{ id: '1' }, { id: '2' }];
    const results = await runStage(ExternalPython, { scriptPath: 'script.py' }, documents, limited);
    expect(results.map(({ error, documents: [document] }) => error ?? document)).toEqual([
      expect.stringMatching(/took more than 1 s of processor time/),
      '{"id":"2"}',
    ]);
  });

  it('refuses requirements, and scripts beside files of the service', async () => {
    writeFileSync('python/requirements.txt', 'x');
    const text = 'def process_document(doc): return None';
    await expect(run(text, { requirementsPath: 'requirements.txt' })).rejects.toMatchObject({
      code: 'HR_POLICY_REFUSED',
    });
    enforcePolicy({ ...STRICT_POLICY, never: [join(process.cwd(), 'python/store')], boundary });
    await expect(run(text)).rejects.toMatchObject({
      code: 'HR_POLICY_REFUSED',
      message: expect.stringContaining('which contains files of the service'),
    });
  });
});

describe('Python of an upload without a boundary', () => {
  it.each([
    ['EmbeddedPython', () => runStage(EmbeddedPython, { script: 'doc.a = 1' }, [], context())],
    ['ExternalPython', () => runStage(ExternalPython, { scriptPath: 'x.py' }, [], context())],
  ])('%s does not start and reports the reason and a remedy', async (_, start) => {
    enforcePolicy({ ...STRICT_POLICY, boundary: { kind: 'none', reason: 'bubblewrap (bwrap) is not installed' } });
    await expect(start()).rejects.toMatchObject({
      code: 'HR_POLICY_NO_BOUNDARY',
      message: expect.stringContaining('bubblewrap (bwrap) is not installed'),
      hint: expect.stringMatching(/install bubblewrap.*user namespaces.*`policy\.scripts: all`/),
    });
  });
});

/** Returns the running boundary processes that any thread of a process has started. */
function boundariesBelow(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' '))
    .map(Number)
    .filter((child) => child > 0 && /bwrap|unshare/.test(readFileSync(`/proc/${child}/comm`, 'utf8')));
}
