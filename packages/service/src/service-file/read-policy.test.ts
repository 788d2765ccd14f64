import { resolve } from 'node:path';
import { DEFAULT_POLICY, describePolicy, formatProblem, STRICT_POLICY } from '@headrace/engine';
import { expect, it } from 'vitest';
import { readPolicy } from './read-policy.ts';
import { YamlReader } from './yaml-reader.ts';

function read(text: string) {
  const reader = new YamlReader(text, 'service.yml');
  const policy = readPolicy(reader, reader.map(reader.root, ['policy']).get('policy'));
  return { policy, problems: reader.problems.map((problem) => formatProblem(problem)) };
}

it.each([
  ['{}', DEFAULT_POLICY],
  ['policy: default', DEFAULT_POLICY],
  ['policy: strict', STRICT_POLICY],
])('reads the built-in policy %s', (text, policy) => {
  expect(read(text)).toEqual({ policy, problems: [] });
});

it('a policy map changes only the keys that it contains', () => {
  const { policy, problems } = read(`policy:
  base: strict
  components: { allow: [built-in, WordCount], deny: [Print] }
  read: [data, /srv/in]
  hosts: { allow: ['*', 'search.internal:9200'], deny: [10.0.0.0/8] }
  scripts: none
`);
  expect(problems).toEqual([]);
  expect(policy).toEqual({
    ...STRICT_POLICY,
    name: 'own',
    components: { allow: ['built-in', 'WordCount'], deny: ['Print'] },
    read: [resolve('data'), '/srv/in'],
    hosts: { allow: ['*', 'search.internal:9200'], deny: ['10.0.0.0/8'] },
    scripts: 'none',
  });
  expect(read('policy: { privateAddresses: false }').policy).toEqual({
    ...DEFAULT_POLICY,
    name: 'own',
    privateAddresses: false,
  });
});

it('a policy sets limits for uploads, and removes a limit of its base with 0', () => {
  const { policy, problems } = read('policy: { base: strict, limits: { maxRunSecs: 60, maxThreads: 0 } }');
  expect(problems).toEqual([]);
  const { maxThreads: _, ...limits } = STRICT_POLICY.limits;
  expect(policy.limits).toEqual({ ...limits, maxRunSecs: 60 });
  expect(read('policy: { limits: { maxProcessingSecs: 10 } }').policy.limits).toEqual({ maxProcessingSecs: 10 });
  expect(read('policy: { limits: { maxRunSecs: -1, maxRunHours: 1 } }').problems).toEqual([
    expect.stringContaining('Unknown key maxRunHours'),
    expect.stringContaining('policy.limits.maxRunSecs is not a whole number from 0'),
  ]);
});

it('reports all problems of a policy, with their positions', () => {
  const { problems } = read(`policy:
  base: strickt
  hosts: { allow: [http://x, 10.0.0.0/99], denny: [] }
  read: /srv
  scripts: some
  network: true
`);
  expect(problems.map((problem) => problem.split(/[.:] /).slice(0, 3).join(' | '))).toEqual([
    expect.stringMatching(/^service\.yml:6:3.*Unknown key network/),
    expect.stringMatching(/^service\.yml:2:9.*policy\.base is not default or strict/),
    expect.stringMatching(/^service\.yml:3:44.*Unknown key denny/),
    expect.stringMatching(/^service\.yml:4:9.*policy\.read is not a list/),
    expect.stringMatching(/^service\.yml:3:20.*policy\.hosts\.allow\[0\] is not a host/),
    expect.stringMatching(/^service\.yml:3:30.*policy\.hosts\.allow\[1\] is not a host/),
    expect.stringMatching(/^service\.yml:5:12.*policy\.scripts is not none, sandbox or all/),
  ]);
  expect(read('policy: [strict]').problems[0]).toContain('policy is not default or strict');
});

it('a policy is described in one line', () => {
  expect(describePolicy(STRICT_POLICY)).toBe(
    'Policy for uploaded configs: strict; components all that are built in; reads none; writes none; reaches all hosts; private addresses no; scripts in a sandbox only (no Python or native code: the service did not search for a boundary of the operating system); limits maxRunSecs 3600, maxProcessingSecs 60, maxThreads 4, maxQueuedDocs 100000, maxBatchDocs 10000, maxBatchBytes 67108864, maxRetries 20, maxWaitSecs 300, maxHelperMemoryMb 2048, maxMemoryMb 1024, maxDiskMb 10240, maxItems 100000',
  );
  expect(describePolicy({ ...STRICT_POLICY, boundary: { kind: 'bubblewrap', path: '/usr/bin/bwrap' } })).toContain(
    'scripts in a sandbox only (Python and native code inside a boundary of the operating system, created by /usr/bin/bwrap)',
  );
  expect(describePolicy(read('policy: { read: [/a, /b], hosts: { deny: [x.org] } }').policy)).toBe(
    'Policy for uploaded configs: own; components all; reads /a, /b; writes all files that the process can write; reaches all hosts but x.org; private addresses yes; scripts all; limits none',
  );
});
