import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findBoundary } from '@headrace/components';
import { describe, expect, it } from 'vitest';
import { HostileGuest, modest } from './hostile.ts';

const boundary = await findBoundary([]);
const MILLIS = 10 * 60_000;

describe('Python scripts of untrusted users', () => {
  const guest = new HostileGuest();
  const run = (script: string) =>
    guest.run(
      modest({
        connector: 'class: SequenceConnector, numDocs: 1',
        stages: `{class: EmbeddedPython, script: ${JSON.stringify(script)}}`,
      }),
    );

  it.runIf(boundary.kind === 'none')('are refused on a machine without a boundary', async () => {
    const { status, reported } = await run('doc.a = 1');
    expect(status).toBe('FAILED');
    expect(reported).toContain('HR_POLICY_NO_BOUNDARY');
  });

  it.runIf(boundary.kind !== 'none')(
    'run, but cannot reach the store of the service',
    async () => {
      const store = join(guest.directory, 'store');
      const { status, progress, reported } = await run(`
import sys
from pyodide.ffi import create_proxy, to_js
Object = sys.modules['pyodide_js._api'].constructor
got = []
getter = create_proxy(lambda this: got.append(this), capture_this=True)
try:
    Object.defineProperty(Object.prototype, 'XMLHttpRequest',
        to_js({'get': getter, 'configurable': True}, dict_converter=Object.fromEntries))
    sys.modules['pyodide_js._api'].public_api.FS.createLazyFile('/', 'x', 'y', True, False)
    sqlite = got[0].process.getBuiltinModule('node:sqlite')
    sqlite.DatabaseSync.new('${store}/headrace.db').exec("VACUUM INTO '${guest.open}/stolen.db'")
except Exception:
    doc.held = True
else:
    raise SystemError('escaped')`);
      expect(status).toBe('SUCCEEDED');
      expect(progress).toMatchObject({ succeeded: 1, failed: 0 });
      expect(reported).not.toContain('escaped');
      expect(spawnSync('ls', [guest.open], { encoding: 'utf8' }).stdout).not.toContain('stolen');
    },
    MILLIS,
  );
});
