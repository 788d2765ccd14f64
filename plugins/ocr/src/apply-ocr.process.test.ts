import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync, gunzipSync } from 'node:zlib';
import {
  assertStageContract,
  limitMemory,
  makeStage,
  runStage,
  stageContext,
  toDocument,
} from '@headrace/engine/testing';
import { defaultMemoryMb, withDefaults } from 'headrace/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApplyOCR } from './apply-ocr.ts';

const folder = new URL('./testing/files/', import.meta.url).pathname;
const image = `${folder}hello.png`;
const form = `${folder}form.pdf`;
/** The upper and the lower half of the form. */
const extractionTemplates = [
  {
    name: 'invoice',
    regions: [
      { x: 0, y: 0, width: 1200, height: 450, dest: 'kind' },
      { x: 0, y: 450, width: 1200, height: 450, dest: 'number' },
    ],
  },
  { name: 'outside', regions: [{ x: 0, y: 0, width: 1201, height: 10, dest: 'kind' }] },
];

async function apply(params: Record<string, unknown>, ...documents: Record<string, unknown>[]) {
  const outcomes = await runStage(ApplyOCR, { lang: 'eng', pathField: 'path', ...params }, documents);
  return outcomes.map(({ documents: [json = '{}'], error }) => (error === undefined ? JSON.parse(json) : { error }));
}

describe('ApplyOCR', () => {
  it('satisfies the stage contract', async () => {
    const params = { lang: 'eng', pathField: 'path', extractAllDest: 'text' };
    await assertStageContract(ApplyOCR, { params, document: { id: '1', path: image } });
  });

  it('reads images and pages of PDF files, by path, and continues with files that cannot be read', async () => {
    const documents = await apply(
      { extractAllDest: 'text', confidenceField: 'confidence' },
      { id: 'image', path: image, text: 'before' },
      { id: 'form', path: form },
      { id: 'none', path: `${folder}none.png` },
      { id: 'text', path: `${folder}../make-files.py` },
      { id: 'empty' },
    );
    expect(documents).toMatchObject([
      { id: 'image', text: 'Hello, World!\n', confidence: expect.any(Number) },
      { id: 'form', text: ['Invoice\n\nNumber 1001\n', 'Invoice\n\nNumber 1002\n'] },
      { id: 'none' },
      { id: 'text' },
      { id: 'empty' },
    ]);
    expect(documents[0].confidence).toBeGreaterThan(80);
    expect(documents[2]).not.toHaveProperty('text');
    expect(documents[3]).not.toHaveProperty('text');
  });

  it('reports the first document without the field, which may be misspelled', async () => {
    const context = stageContext();
    const stage = makeStage(ApplyOCR, { lang: 'eng', pathField: 'pth', extractAllDest: 'text' }, context);
    for (const id of ['1', '2']) await stage.process(toDocument({ id, path: image }));
    expect(context.collector.list()).toMatchObject([{ code: 'stage.unchanged', count: 2 }]);
    expect(context.logged).toEqual([
      'The document has no field pth (pathField) and stays unchanged; others are not reported',
    ]);
  });

  it('reports an image that is too large for Tesseract, with its size, and a file that is no image', async () => {
    const documents = [
      { id: 'wide', bytes: blankImage(32_768, 8), text: 'before' },
      { id: 'largest', bytes: blankImage(32_767, 8) },
      { id: 'none', bytes: Buffer.from('no image').toString('base64') },
    ];
    const params = { byteArrayField: 'bytes', pathField: undefined, extractAllDest: 'text', errorField: 'problem' };
    const [wide, largest, none] = await apply(params, ...documents);
    const reason = /it has 32768x8 pixels, and Tesseract reads at most 32767 on a side/;
    expect(wide).toMatchObject({ text: 'before', problem: expect.stringMatching(reason) });
    expect(largest).toMatchObject({ text: '' });
    expect(none.problem).toMatch(/^The image cannot be read: it is damaged, or not an image in a format/);
    const [failed] = await apply({ ...params, onError: 'fail' }, ...documents.slice(0, 1));
    expect(failed.error).toMatch(reason);
  });

  it('reports what the engine prints about a damaged image in the log, not on standard error', async () => {
    const context = stageContext();
    const params = { lang: 'eng', byteArrayField: 'bytes', extractAllDest: 'text', errorField: 'problem' };
    const stage = makeStage(ApplyOCR, params, context);
    await stage.start?.();
    const whole = readFileSync(image);
    const contents = [whole, whole.subarray(0, 500), Buffer.from('no image'), whole];
    const documents = contents.map((bytes, i) => toDocument({ id: `${i}`, bytes: bytes.toString('base64') }));
    await Promise.all(documents.map((document) => stage.process(document)));
    await stage.stop?.();
    expect(documents.map((document) => document.text('text')?.trim())).toEqual([
      'Hello, World!',
      undefined,
      undefined,
      'Hello, World!',
    ]);
    expect(documents[1]?.text('problem')).toMatch(/ \(libpng error: .+\)$/);
    expect(documents[2]?.text('problem')).toMatch(/ such as PNG, JPEG or TIFF$/);
    expect(context.logged).toContainEqual(expect.stringMatching(/^Tesseract: libpng error/));
    expect(context.collector.list()).toMatchObject([{ code: 'image.unreadable', class: 'loss', count: 2 }]);
  });

  it('starts the engine again after a large image, which frees its memory', async () => {
    onTestFinished(() => limitMemory(defaultMemoryMb()));
    // 40 MiB for one document, a sixth of the memory for a value.
    limitMemory(80);
    const context = stageContext();
    const params = { lang: 'eng', byteArrayField: 'bytes', extractAllDest: 'text', onError: 'fail' };
    const stage = makeStage(ApplyOCR, params, context);
    await stage.start?.();
    const hello = readFileSync(image).toString('base64');
    const contents = [hello, blankImage(1000, 500), hello, hello];
    const documents = contents.map((bytes, i) => toDocument({ id: `${i}`, bytes }));
    await Promise.all(documents.map((document) => stage.process(document)));
    await stage.stop?.();
    expect(documents.map((document) => document.text('text')?.trim())).toEqual([
      'Hello, World!',
      '',
      'Hello, World!',
      'Hello, World!',
    ]);
    expect(context.logged.filter((line) => line === 'Tesseract: started again after a large image')).toHaveLength(1);
  });

  it('fails a page of a PDF file with an image that needs more memory than there is', async () => {
    onTestFinished(() => limitMemory(defaultMemoryMb()));
    limitMemory(40);
    const bytes = pdfWithImage(4000);
    const params = { byteArrayField: 'bytes', pathField: undefined, extractAllDest: 'text', onError: 'fail' };
    const [failed, after] = await apply(
      params,
      { id: '1', bytes },
      { id: '2', bytes: readFileSync(image).toString('base64') },
    );
    expect(failed.error).toContain('page 0 needs more memory to draw');
    expect(after.text).toBe('Hello, World!\n');
  });

  it('refuses an image with too many pixels by its header, before it is decoded', async () => {
    const bytes = Buffer.from(readFileSync(image));
    bytes.writeUInt32BE(30_000, 16);
    bytes.writeUInt32BE(30_000, 20);
    const params = { byteArrayField: 'bytes', pathField: undefined, extractAllDest: 'text', onError: 'fail' };
    const [failed] = await apply(params, { id: '1', bytes: bytes.toString('base64') });
    expect(failed.error).toContain(
      'The image cannot be read: it has 30000x30000 pixels, more than 200000000. Divide it, or make it smaller',
    );
  });

  it('keeps the texts of the other pages if a page of a PDF file cannot be read', async () => {
    const wide = readFileSync(form, 'latin1').replace('[ 0 0 288 216 ]', '[ 0 0 9999  9 ]');
    const params = { byteArrayField: 'bytes', pathField: undefined, extractAllDest: 'text', errorField: 'problem' };
    const [document] = await apply(params, { id: '1', bytes: Buffer.from(wide, 'latin1').toString('base64') });
    expect(document).toMatchObject({
      text: ['', 'Invoice\n\nNumber 1002\n'],
      problem: expect.stringMatching(/^Page 0 cannot be read: it has 4166\dx3\d pixels/),
    });
  });

  it('does not start with a program that is not there', async () => {
    const params = { extractAllDest: 'text', tesseractPath: `${folder}none` };
    await expect(apply(params)).rejects.toThrow(/tesseractPath: .*none cannot be started/);
  });

  it('reads the regions of forms, with the pages of the config and of the document', async () => {
    const params = { byteArrayField: 'bytes', pathField: undefined, extractionTemplates, pagesField: 'pages' };
    const bytes = readFileSync(form).toString('base64');
    const documents = await apply(
      { ...params, pages: { 0: 'invoice' }, extractAllDest: 'text' },
      { id: '1', bytes, number: 'before' },
      { id: '2', bytes, pages: '{"1":"invoice","7":"invoice"}' },
      { id: '3', bytes, pages: '{"1":"outside"}' },
    );
    const text = ['Invoice\n\nNumber 1001\n', 'Invoice\n\nNumber 1002\n'];
    expect(documents).toMatchObject([
      { id: '1', text, kind: 'Invoice\n', number: ['before', 'Number 1001\n'] },
      { id: '2', kind: ['Invoice\n', 'Invoice\n'], number: ['Number 1001\n', 'Number 1002\n'] },
      { error: expect.stringContaining('is outside page 1, which has 1200x900 pixels') },
    ]);
  });

  it('reads a region of an image, and fails if the region is outside the image', async () => {
    const region = (width: number) => [
      { name: 'top', regions: [{ x: 0, y: 0, width, height: 200, dest: 'greeting' }] },
    ];
    const document = { id: '1', path: image };
    const [read] = await apply({ extractionTemplates: region(900), pages: { 0: 'top' } }, document);
    expect(read).toMatchObject({ greeting: 'Hello, World!\n' });
    const [failed] = await apply({ extractionTemplates: region(901), pages: { 0: 'top' } }, document);
    expect(failed.error).toContain('is outside page 0, which has 900x200 pixels');
  });

  it('reads the data of a language from the folder TesseractOcr of the working directory, compressed or not', async () => {
    const home = mkdtempSync(join(tmpdir(), 'headrace-ocr-data-'));
    const before = process.cwd();
    onTestFinished(() => {
      process.chdir(before);
      rmSync(home, { recursive: true });
    });
    const data = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
    const english = readFileSync(join(data, '4.0.0_best_int/eng.traineddata.gz'));
    mkdirSync(join(home, 'TesseractOcr'));
    writeFileSync(join(home, 'TesseractOcr/xya.traineddata'), english);
    writeFileSync(join(home, 'TesseractOcr/xyb.traineddata'), gunzipSync(english));
    process.chdir(home);
    for (const lang of ['xya', 'xyb', 'eng+xyb']) {
      expect(await apply({ lang, extractAllDest: 'text' }, { id: '1', path: image })).toMatchObject([
        { text: 'Hello, World!\n' },
      ]);
    }
  });

  it('names the package of a language that is missing', async () => {
    await expect(apply({ lang: 'eng+xyz', extractAllDest: 'text' })).rejects.toThrow(
      'Tesseract has no data for the language xyz',
    );
  });

  it.each([
    [{ lang: 'english!' }, 'english! is not a language code'],
    [{ pathField: undefined }, 'pathField is missing'],
    [{ pages: new Map([['0', 'a']]) }, 'pages and pagesField need extractionTemplates'],
    [{ pages: new Map([['x', 'invoice']]), extractionTemplates }, 'x is not a page number from 0'],
  ])('reports a mistake in %j', (params, message) => {
    const all = { lang: 'eng', pathField: 'path', extractAllDest: 'text', ...params };
    expect(
      [...ApplyOCR.check(withDefaults(ApplyOCR.parameters, all as never))].map((problem) => problem.message),
    ).toContain(message);
  });
});

/** Returns a white image in the PBM format, as base64. */
function blankImage(width: number, height: number): string {
  return Buffer.concat([Buffer.from(`P4\n${width} ${height}\n`), Buffer.alloc(Math.ceil(width / 8) * height)]).toString(
    'base64',
  );
}

/** A PDF file with one small page, whose image is a square of grey pixels, in base64. */
function pdfWithImage(side: number): string {
  const pixels = deflateSync(Buffer.alloc(side * side));
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 90 90]/Contents 5 0 R/Resources<</XObject<</I 4 0 R>>>>>>',
  ];
  const dictionary = `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode`;
  const draw = 'q 90 0 0 90 0 0 cm /I Do Q';
  return Buffer.concat([
    Buffer.from(`%PDF-1.4\n${objects.map((object, i) => `${i + 1} 0 obj${object}endobj\n`).join('')}`),
    Buffer.from(`4 0 obj<<${dictionary}/Length ${pixels.length}>>stream\n`),
    pixels,
    Buffer.from(`\nendstream endobj\n5 0 obj<</Length ${draw.length}>>stream\n${draw}\nendstream endobj\n`),
    Buffer.from('trailer<</Root 1 0 R>>\n%%EOF\n'),
  ]).toString('base64');
}
