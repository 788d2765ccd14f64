import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { allowedPath, enforcePolicy } from './current-policy.ts';
import { DEFAULT_POLICY, STRICT_POLICY } from './policy.ts';

const root = mkdtempSync(join(tmpdir(), 'headrace-policy-'));
const inside = join(root, 'inside');
mkdirSync(join(inside, 'deep'), { recursive: true });
mkdirSync(join(root, 'inside-not'));
writeFileSync(join(root, 'secret'), 'secret');
writeFileSync(join(inside, 'data'), 'data');
symlinkSync(join(root, 'secret'), join(inside, 'link'));
symlinkSync(root, join(inside, 'up'));
symlinkSync(join(root, 'missing'), join(inside, 'dangling'));
symlinkSync(inside, join(root, 'alias'));

afterEach(() => void enforcePolicy(undefined));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function may(access: 'read' | 'write', path: string): boolean {
  try {
    allowedPath(path, access);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'HR_POLICY_REFUSED' });
    return false;
  }
}

describe('a policy that names directories', () => {
  it.each([
    ['inside/data', true],
    ['inside', true],
    ['inside/deep/not/there/yet', true],
    ['inside/deep/../data', true],
    ['secret', false],
    ['missing', false],
    ['inside-not/x', false],
    ['inside/../secret', false],
    ['inside/deep/../../secret', false],
    ['inside/link', false],
    ['inside/up/secret', false],
    ['inside/up/new', false],
    ['inside/up/inside/data', true],
    ['/etc/passwd', false],
    ['', false],
  ])('applies to the path %j, and allows it: %s', (path, open) => {
    enforcePolicy({ ...STRICT_POLICY, read: [inside], write: [inside] });
    const full = path.startsWith('/') || path === '' ? path : join(root, '.').replace(/\/?$/, `/${path}`);
    expect(may('read', full)).toBe(open);
    expect(may('write', full)).toBe(open);
  });

  it('makes allowedPath return the real path, so that the checked file is the opened file', () => {
    enforcePolicy({ ...STRICT_POLICY, read: [inside] });
    expect(allowedPath(join(inside, 'up/inside/data'), 'read')).toBe(allowedPath(join(inside, 'data'), 'read'));
  });

  it('may contain a link to a directory', () => {
    enforcePolicy({ ...STRICT_POLICY, read: [join(root, 'alias')] });
    expect(may('read', join(root, 'alias/data'))).toBe(true);
    expect(may('read', join(root, 'alias/link'))).toBe(false);
  });

  it('can allow reading of files that it does not allow to write', () => {
    enforcePolicy({ ...STRICT_POLICY, read: [inside] });
    expect(may('read', join(inside, 'data'))).toBe(true);
    expect(may('write', join(inside, 'data'))).toBe(false);
  });
});

describe('the default policy', () => {
  it('never allows reading /proc, or files of the service', () => {
    enforcePolicy({ ...DEFAULT_POLICY, never: [...DEFAULT_POLICY.never, join(root, 'secret')] });
    expect(may('read', join(inside, 'data'))).toBe(true);
    for (const path of [
      '/proc/self/environ',
      '/dev/stdout',
      '/dev/stderr',
      join(root, 'secret'),
      join(inside, 'link'),
      join(inside, 'up/secret'),
    ]) {
      expect(may('read', path), path).toBe(false);
      expect(may('write', path), path).toBe(false);
    }
  });
});

it('allowedPath returns the path unchanged if there is no policy', () => {
  expect(allowedPath('a/../b', 'write')).toBe('a/../b');
});

describe('files that users uploaded', () => {
  it.each([
    ['the default policy', DEFAULT_POLICY],
    ['the strict policy', STRICT_POLICY],
  ])('may be read and not written with %s, also inside the store', (_name, policy) => {
    enforcePolicy({ ...policy, never: [...policy.never, root], uploads: inside });
    expect(may('read', join(inside, 'data'))).toBe(true);
    expect(may('read', inside)).toBe(true);
    expect(may('write', join(inside, 'data'))).toBe(false);
    expect(may('write', join(inside, 'new'))).toBe(false);
    for (const path of ['secret', 'inside/link', 'inside/up/secret', 'inside-not/x', 'inside/../secret'])
      expect(may('read', join(root, '.').replace(/\/?$/, `/${path}`)), path).toBe(false);
  });
});
