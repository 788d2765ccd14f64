import { type Given, Type, withDefaults } from '@headrace/engine';
import { expect, it } from 'vitest';
import { checkStorageSettings, type StorageSettings, storageParameters } from './storage-parameters.ts';

const found = (settings: Given<StorageSettings>) =>
  [...checkStorageSettings(withDefaults(Type.Object(storageParameters), settings))].map(
    ({ parameter, severity = 'error' }) => `${severity} ${parameter}`,
  );

const gcp = { pathToServiceKey: '' };
const blobs = (scheme: string) => `AccountName=a;AccountKey=a2V5;BlobEndpoint=${scheme}://127.0.0.1:1/a;`;
const tls = { caFile: 'ca.pem' };

it.each<[Given<StorageSettings>, string[]]>([
  [{ s3: { tls }, azure: { connectionString: blobs('https'), tls }, gcp: { ...gcp, tls } }, []],
  [{ s3: { endpoint: 'https://h', tls: { ...tls, certificateFile: 'both.pem' } } }, []],
  [{ s3: { tls: { keyFile: 'k' } } }, ['error s3.tls.keyFile']],
  [{ gcp: { ...gcp, tls: { keyPassphrase: 'p' } } }, ['error gcp.tls.keyPassphrase']],
  [{ s3: { endpoint: 'http://h', tls } }, ['warning s3.tls']],
  [{ azure: { connectionString: blobs('http'), tls } }, ['warning azure.tls']],
  [{ gcp: { ...gcp, endpoint: 'http://h', tls } }, ['warning gcp.tls']],
])('checks the storage settings %j', (settings, problems) => {
  expect(found(settings)).toEqual(problems);
});
