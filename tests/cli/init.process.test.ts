import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace } from './headrace.ts';

describe('init', () => {
  it('writes a config that runs without changes', async () => {
    const cwd = directoryWith();
    expect(await headrace(['init'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'headrace.conf is written. Try: headrace run headrace.conf\n',
    });
    expect((await headrace(['validate', 'headrace.conf'], { cwd })).stdout).toBe(
      'headrace.conf: valid (no problems)\n',
    );
    const { code, stdout } = await headrace(['run', 'headrace.conf'], { cwd });
    expect(stdout).toContain('10 docs succeeded.');
    expect(code).toBe(0);
    const documents = readFileSync(join(cwd, 'documents.jsonl'), 'utf8').trimEnd().split('\n');
    expect(documents).toHaveLength(10);
  });

  it('never overwrites a file', async () => {
    const cwd = directoryWith({ 'mine.conf': 'precious' });
    const { code, stderr } = await headrace(['init', 'mine.conf'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toBe('headrace: mine.conf was not written: it exists already. Give another name.\n');
    expect(readFileSync(join(cwd, 'mine.conf'), 'utf8')).toBe('precious');
  });
});
