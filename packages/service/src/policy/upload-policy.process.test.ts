import { resolve } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { DEFAULT_POLICY, Registry, STRICT_POLICY } from '@headrace/engine';
import { expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { checkPolicyNames, uploadPolicy, withBoundary } from './upload-policy.ts';

it('never allows uploads to use the files of the service', () => {
  const settings = {
    file: '/etc/headrace/service.yml',
    storage: { type: 'sqlite', path: 'store' },
    presets: 'presets',
    audit: { path: '/var/log/audit.jsonl' },
    listeners: [
      { host: 'x', port: 1, tls: { cert: 'c.pem', key: '/etc/key.pem' } },
      { host: 'x', port: 2, tls: { keyStore: '/etc/store.p12', password: '' } },
    ],
    components: ['./word-count.js', '@acme/stages'],
    base: 'file:///etc/headrace/',
  } as const;
  const { never, uploads } = uploadPolicy({ ...defaultSettings(), ...settings }, '/uploads');
  expect(uploads).toBe('/uploads');
  expect(never).toEqual([
    ...DEFAULT_POLICY.never,
    '/etc/headrace/service.yml',
    resolve('store'),
    resolve('presets'),
    '/var/log/audit.jsonl',
    '/etc/key.pem',
    '/etc/store.p12',
    '/etc/headrace/word-count.js',
  ]);
});

it('looks for a sandbox boundary only if the policy runs scripts in a sandbox', async () => {
  expect(await withBoundary(DEFAULT_POLICY)).toBe(DEFAULT_POLICY);
  expect((await withBoundary(STRICT_POLICY)).boundary).toMatchObject({ kind: expect.any(String) });
});

it('refuses unknown component names, because denying a misspelt name has no effect', async () => {
  const registry = await Registry.open({ catalogs: [catalogUrl], modules: [], base: 'file:///', allowModules: false });
  const policy = (allow: string[], deny: string[]) => ({ ...DEFAULT_POLICY, components: { allow, deny } });
  expect(() => checkPolicyNames(policy(['*'], ['ExternalPyton']), registry)).toThrow(
    'policy.components.deny names ExternalPyton, which is not a component. Did you mean ExternalPython?',
  );
  expect(() => checkPolicyNames(policy(['*'], ['*']), registry)).toThrow('names *');
  expect(() =>
    checkPolicyNames(policy(['built-in'], ['Print', 'com.kmwllc.lucille.stage.Print']), registry),
  ).not.toThrow();
});
