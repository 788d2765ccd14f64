import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { hugeModel } from '@headrace/testing/onnx-models';
import {
  DELTA_BYTE_ARRAY,
  growingTexts,
  hostileFile,
  OPTIONAL,
  type Statements,
  TEXT_ID,
} from '@headrace/testing/parquet-files';
import { type Bomb, many, read, SPACES, size } from './memory-bombs.ts';

/** Pixels on a side of an image that ApplyOCR would read with enough memory. */
const SIDE = Math.floor(Math.sqrt(size(190) * 1e6));

/** Pixels on a side of an image that is almost too large for the memory of a document, so the engine decodes it. */
const DECODED_SIDE = Math.floor(Math.sqrt(size(38) * 1e6));

/** A number as bytes, with the highest byte first, or last. */
const big = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => (value >>> (8 * (bytes - 1 - i))) & 255);
const little = (value: number, bytes: number): number[] => big(value, bytes).reverse();

/** A PNG file of a square, with compressed rows. */
function pngOf(bitDepth: number, colour: number, side: number, rows: Buffer): Buffer {
  const chunk = (type: string, content: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), content]);
    return Buffer.concat([Buffer.from(big(content.length, 4)), body, Buffer.from(big(crc32(body), 4))]);
  };
  const header = Buffer.from([...big(side, 4), ...big(side, 4), bitDepth, colour, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A TIFF file with one page of grey pixels, which are compressed. */
function tiff(): Buffer {
  // PackBits: a byte of 129 repeats the next one 128 times. A repetition does not cross rows.
  const side = DECODED_SIDE - (DECODED_SIDE % 128);
  const pixels = Buffer.alloc((2 * side ** 2) / 128, Buffer.from([129, 0]));
  const fields: readonly [tag: number, value: number][] = [
    [256, side],
    [257, side],
    [258, 8],
    [259, 32_773],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, side],
    [279, pixels.length],
  ];
  const directory = fields.flatMap(([tag, value]) => [
    ...little(tag, 2),
    ...little(4, 2),
    ...little(1, 4),
    ...little(value, 4),
  ]);
  return Buffer.concat([
    Buffer.from([...Buffer.from('II'), ...little(42, 2), ...little(8 + pixels.length, 4)]),
    pixels,
    Buffer.from([...little(fields.length, 2), ...directory, ...little(0, 4)]),
  ]);
}

/** A GIF file of 1,170 bytes that describes pictures of 256 million pixels. */
function gif(): Buffer {
  const frame = `21f904000100000000${'2c0000000001000100'}000202440100`;
  return Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([...little(16_000, 2), ...little(16_000, 2)]),
    Buffer.from(`f00000000000ffffff${frame.repeat(50)}3b`, 'hex'),
  ]);
}

/** Images that are small files, with many pixels. All but the first two have only a header. */
const IMAGES: Readonly<Record<string, () => Buffer>> = {
  'a PNG image': () =>
    pngOf(8, 6, DECODED_SIDE, deflateSync(Buffer.alloc(DECODED_SIDE * (4 * DECODED_SIDE + 1)), { level: 1 })),
  'a TIFF image': tiff,
  'the header of a PNG image': () => pngOf(16, 6, 2 ** 31 - 1, Buffer.alloc(0)),
  'the header of a GIF image': gif,
  'the header of a JPEG image': () =>
    Buffer.from(
      `ffd8ffe000104a46494600010100000100010000ffc0000b08${Buffer.from([...big(SIDE, 2), ...big(SIDE, 2)]).toString('hex')}01011100ffd9`,
      'hex',
    ),
  'the header of a WebP image': () => {
    const sizes = little((SIDE - 1) | ((SIDE - 1) << 14), 4);
    const data = Buffer.from([0x2f, ...sizes, ...Array(64).fill(0)]);
    const chunk = Buffer.concat([Buffer.from('VP8L'), Buffer.from(little(data.length, 4)), data]);
    return Buffer.concat([Buffer.from('RIFF'), Buffer.from(little(chunk.length + 4, 4)), Buffer.from('WEBP'), chunk]);
  },
  'the header of a BMP image': () =>
    Buffer.from([
      ...Buffer.from('BM'),
      ...little(54, 4),
      ...little(0, 4),
      ...little(54, 4),
      ...little(40, 4),
      ...little(SIDE, 4),
      ...little(SIDE, 4),
      ...little(1, 2),
      ...little(24, 2),
      ...Array(24).fill(0),
    ]),
  'the header of a PNM image': () => Buffer.from(`P6\n${SIDE} ${SIDE}\n255\n`),
};

function recognized(name: string, content: () => Buffer, isUsual: boolean): Bomb {
  const file = `${name.replaceAll(' ', '-')}.image`;
  return {
    name: `${name} in ApplyOCR`,
    isUsual,
    documents: many(6),
    expected: 'either',
    write: (files) => writeFileSync(join(files, file), content()),
    stages: (_, files) =>
      `{class: SetStaticValues, staticValues: {f: "${files}/${file}"}}, {class: ApplyOCR, lang: eng, pathField: f, extractAllDest: text, onError: fail}`,
  };
}

function model(name: string, gib: number, expected: Bomb['expected']): Bomb {
  const folder = (files: string) => join(files, `model-${gib}`);
  return {
    name: `${name} in a model`,
    isUsual: true,
    documents: many(6),
    expected,
    write: (files) => {
      mkdirSync(folder(files));
      writeFileSync(join(folder(files), 'vocab.txt'), '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nby\nthe\nsea\n');
      writeFileSync(join(folder(files), 'config.json'), '{"model_type": "bert"}');
      writeFileSync(join(folder(files), 'model.onnx'), hugeModel(gib));
    },
    stages: (_, files) =>
      `{class: SetStaticValues, staticValues: {text: "by the sea"}}, {class: LocalEmbed, source: text, model: "${folder(files)}"}`,
  };
}

function parquet(name: string, content: () => Uint8Array, refusal?: RegExp): Bomb {
  const file = `${name.replaceAll(' ', '-')}.parquet`;
  return {
    name: `${name} in ParquetConnector`,
    isUsual: false,
    documents: 0,
    expected: 'any',
    ...(refusal === undefined ? {} : { refusal }),
    write: (files) => writeFileSync(join(files, file), content()),
    connector: (_, files) => `class: ParquetConnector, paths: ["${files}/${file}"], idField: id`,
    stages: () => '',
  };
}

const texts = (values: number): Statements => ({ elements: [TEXT_ID], values, rows: BigInt(values) });
/** The codec GZIP. */
const GZIP = 2;

/** Bombs for libraries of plugins: images, models, videos, and files of Parquet. */
export const PLUGINS: readonly Bomb[] = [
  ...Object.entries(IMAGES).map(([name, content], i) => recognized(name, content, i === 0)),
  read('a GIF image', 'mp4', (path) => writeFileSync(path, gif()), true),
  // ONNX Runtime may not have so much memory. The second tensor is within its limit, but not within that of the service.
  model('a tensor of 4 GB', 4, 'failed'),
  model('a tensor of 2 GB', 2, 'either'),
  parquet(
    'a page of one large text',
    () => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(SPACES.length);
      const bytes = gzipSync(Buffer.concat([length, SPACES]));
      return hostileFile(bytes, { ...texts(1), codec: GZIP, uncompressed: SPACES.length + 4 });
    },
    /a page of \d+ bytes, or \d+ without compression, does not fit/,
  ),
  parquet('a page of texts that repeat others', () =>
    hostileFile(growingTexts(20_000), { ...texts(20_000), encoding: DELTA_BYTE_ARRAY }),
  ),
  parquet(
    'a page of two billion values',
    () =>
      hostileFile(Uint8Array.from([6, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0]), {
        elements: [{ field_1: 1, field_3: OPTIONAL, field_4: 'id' }],
        values: 2 ** 31 - 1,
        rows: 2n ** 31n - 1n,
      }),
    /a page has 2147483647 values/,
  ),
];
