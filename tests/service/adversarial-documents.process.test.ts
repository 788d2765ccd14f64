import { closeSync, ftruncateSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { HostileGuest, modest } from './hostile.ts';

const guest = new HostileGuest({ runHeapMb: 256 }, "hosts: { allow: ['127.0.0.1'] }");
const HUGE_BYTES = 500 * 1024 * 1024;

const file = (name: string) => join(guest.open, name);

/** Runs a config that writes JSON lines. Returns the run details and the written text. */
async function written(connector: string, stages = '') {
  const out = file(`out-${Math.abs(Number(process.hrtime.bigint() % 1_000_000_007n))}.jsonl`);
  const details = await guest.run(
    modest({ connector, stages, indexer: 'type: JSONLines', top: `jsonl { path: "${out}" }` }),
  );
  return { ...details, out: readFileSync(out, 'utf8') };
}

/** Returns a tar archive with one entry of this name. */
function tarOf(name: string, content: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        0ustar\u000000', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body, Buffer.alloc(1024)]);
}

describe('an unusual document', () => {
  it('of 500 MB in one line fails alone', async () => {
    const path = file('huge.jsonl');
    const handle = openSync(path, 'w');
    writeSync(handle, '{"id":"before"}\n{"id":"huge","a":"');
    // The file is sparse: it takes no disk space.
    ftruncateSync(handle, HUGE_BYTES);
    writeSync(handle, '"}\n{"id":"after"}\n', HUGE_BYTES);
    closeSync(handle);
    const { status, progress, out } = await written(`class: JSONConnector, jsonPath: "${path}"`);
    expect(status).toBe('SUCCEEDED');
    expect(progress).toMatchObject({ succeeded: 2, failed: 1 });
    expect(out).toMatch(/"before".*\n.*"after"/);
  });

  it('of ten thousand fields, some with JavaScript names, is processed', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', '__defineGetter__'];
    const fields = [...names, ...Array.from({ length: 10_000 }, (_, i) => `f${i}`)].map(
      (name) => `"${name}":{"polluted":1}`,
    );
    writeFileSync(file('wide.jsonl'), `{"id":"wide",${fields.join(',')}}\n`);
    const { status, out } = await written(
      `class: JSONConnector, jsonPath: "${file('wide.jsonl')}"`,
      '{class: CopyFields, fieldMapping: {"__proto__": copied}}, {class: RenameFields, fieldMapping: {f1: "constructor2"}}',
    );
    expect(status).toBe('SUCCEEDED');
    expect(Object.keys(JSON.parse(out.replace('"__proto__"', '"proto"')) as object).length).toBeGreaterThan(10_000);
    expect(out).toContain('"__proto__":{"polluted":1}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('that is nested too deeply fails alone', async () => {
    const deep = `{"id":"deep","a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
    writeFileSync(file('deep.jsonl'), `{"id":"before"}\n${deep}\n{"id":"after"}\n`);
    const { status, progress } = await written(`class: JSONConnector, jsonPath: "${file('deep.jsonl')}"`);
    expect(status).toBe('SUCCEEDED');
    expect(progress).toMatchObject({ succeeded: 2, failed: 1 });
  });
});

const ENTITIES = `<!DOCTYPE r [<!ENTITY a0 "ha">${Array.from(
  { length: 12 },
  (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`,
).join('')}<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p;]>`;

describe('XML with entities', () => {
  const xml = (entity: string) => `${ENTITIES}<r><item><id>1</id><t>&${entity};</t></item></r>`;

  it.each(['a12', 'f'])('expands no &%s; from a file or in a field', async (entity) => {
    writeFileSync(file('bomb.xml'), xml(entity));
    const { out, reported } = await written(
      `class: XMLConnector, filePaths: ["${file('bomb.xml')}"], xmlRootPath: "/r/item", xmlIdPath: "/r/item/id", encoding: utf-8, outputField: xml`,
    );
    const body = JSON.stringify({
      config: modest({ stages: '{class: XPathExtractor, fieldMapping: {"//t": [x]}, xmlField: xml}' }),
      documents: [{ id: 'a', xml: xml(entity) }],
    });
    const preview = await guest.post('/v1/preview', body, 'application/json');
    expect(preview.status).toBe(200);
    for (const text of [out, reported, preview.text]) {
      expect(text).not.toContain('root:');
      expect(text.length).toBeLessThan(100_000);
    }
  });

  it('expands nothing in a feed', async () => {
    const feed = `${ENTITIES}<rss version="2.0"><channel><item><guid>1</guid><title>&a12;&f;</title></item></channel></rss>`;
    const server = createServer((_, response) => response.end(feed));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { reported } = await guest.run(
      modest({
        connector: `class: RSSConnector, rssURL: "http://127.0.0.1:${(server.address() as AddressInfo).port}/"`,
      }),
    );
    server.close();
    expect(reported).not.toContain('root:');
    expect(reported.length).toBeLessThan(100_000);
  });
});

describe('archives', () => {
  const reading = (name: string) =>
    `class: FileConnector, paths: ["${file(name)}"], fileOptions { handleArchivedFiles: true, handleCompressedFiles: true }`;

  it('that unpack to more than the limit fail, and the service continues', async () => {
    // A gigabyte of zeros in a megabyte, as many members of one gzip file.
    const piece = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    writeFileSync(file('bomb.gz'), Buffer.concat(Array.from({ length: 16 }, () => piece)));
    const { reported, progress } = await written(reading('bomb.gz'));
    expect(reported).not.toContain('HR_RUN_THREAD_LOST');
    expect(progress.succeeded).toBe(0);
  });

  it.each(['../../escaped.txt', '/tmp/headrace-escaped.txt', '..\\escaped.txt'])(
    'write nothing to %s',
    async (name) => {
      writeFileSync(file('slip.tar'), tarOf(name, 'out of here'));
      const { status, out } = await written(reading('slip.tar'));
      expect(status).toBe('SUCCEEDED');
      expect(out.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(1);
      expect(readdirSync(guest.directory).sort()).toEqual(['open', 'service.yml', 'store']);
    },
  );
});
