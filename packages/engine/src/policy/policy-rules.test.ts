import { expect, it } from 'vitest';
import type { CatalogEntry } from '../component/catalog.ts';
import { DEFAULT_POLICY, type Policy, STRICT_POLICY } from './policy.ts';
import { PolicyRules } from './policy-rules.ts';

const STAGE = { name: 'Script', aliases: [], scripts: 'boundary' } as unknown as CatalogEntry;
const sandbox: Policy = { ...STRICT_POLICY, components: DEFAULT_POLICY.components };
const boundary = { kind: 'bubblewrap', path: '/usr/bin/bwrap' } as const;

it('the sandbox policy allows scripts that run in a process inside a boundary', () => {
  expect(new PolicyRules({ ...sandbox, boundary }).refusedComponent(STAGE, true)).toBeUndefined();
  expect(new PolicyRules({ ...sandbox, boundary }).scriptBoundary()).toBe(boundary);
});

it('the sandbox policy refuses script processes with the reason if there is no boundary', () => {
  const none = { kind: 'none', reason: 'bubblewrap is not installed' } as const;
  const refusal = { code: 'HR_POLICY_NO_BOUNDARY', reason: expect.stringContaining('bubblewrap is not installed') };
  expect(new PolicyRules({ ...sandbox, boundary: none }).refusedComponent(STAGE, true)).toMatchObject(refusal);
  expect(new PolicyRules({ ...sandbox, boundary: none }).scriptBoundary()).toMatchObject(refusal);
  expect(new PolicyRules(sandbox).refusedComponent(STAGE, true)).toMatchObject({ code: 'HR_POLICY_NO_BOUNDARY' });
});

it('the sandbox policy ignores the claim of a custom component to run inside a boundary', () => {
  expect(new PolicyRules({ ...sandbox, boundary }).refusedComponent(STAGE, false)).toMatchObject({
    code: 'HR_POLICY_REFUSED',
    reason: 'the policy only allows scripts in a sandbox',
  });
});

it('a policy that allows all scripts needs no boundary', () => {
  const rules = new PolicyRules(DEFAULT_POLICY);
  expect([rules.refusedComponent(STAGE, false), rules.scriptBoundary()]).toEqual([undefined, undefined]);
});
