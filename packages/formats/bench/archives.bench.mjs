// Measures how fast archives are unpacked. After a build: node packages/formats/bench/archives.bench.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip, gzipSync } from 'node:zlib';
import { gunzipped, zipEntries } from '@headrace/formats/archives';
import { writeManyEntries } from '../../../bench/archives.mjs';
import { asyncRate, report } from '../../../bench/rate.mjs';

const text = Buffer.from('1,a boat in the harbour,12.5,2021-02-03\n'.repeat(500_000));
const large = [gzipSync(text)];
const members = Array.from({ length: 5000 }, (_, i) => gzipSync(text.subarray(i * 200, i * 200 + 2000)));

async function* stream(pieces) {
  yield* pieces;
}

async function sizeOf(bytes) {
  let size = 0;
  for await (const piece of bytes) size += piece.length;
  return size;
}

const size = await sizeOf(gunzipped(stream(large)));
report('gunzip 20 MB', ((await asyncRate(() => sizeOf(gunzipped(stream(large))), 3)) * size) / 1e6, 'MB/s');
const gunzip = () => {
  const stream = createGunzip();
  stream.end(large[0]);
  return sizeOf(stream);
};
report('gunzip 20 MB, createGunzip of Node', ((await asyncRate(gunzip, 3)) * size) / 1e6, 'MB/s');
const small = await asyncRate(() => sizeOf(gunzipped(stream(members))), 3);
report('gunzip members of 2 KB', small * members.length, 'members/s');

const folder = mkdtempSync(join(tmpdir(), 'headrace-bench-'));
try {
  const path = join(folder, 'a.zip');
  writeManyEntries(path, 20_000);
  const file = await open(path);
  const read = async () => {
    for await (const { bytes } of zipEntries(file)) await sizeOf(bytes);
  };
  report('zip entries of 200 bytes', (await asyncRate(read, 3)) * 20_000, 'entries/s');
  await file.close();
} finally {
  rmSync(folder, { recursive: true });
}
