// node bench/gunzip.mjs FILE: unpacks a gzip file with Node's zlib, and drops the output.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

const CHUNKS = { highWaterMark: 1024 * 1024 };
const unpacked = createReadStream(process.argv[2], CHUNKS).pipe(createGunzip({ chunkSize: CHUNKS.highWaterMark }));
let bytes = 0;
for await (const piece of unpacked) bytes += piece.length;
console.log(bytes);
