import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { Document, withDefaults } from '@headrace/engine';
import { ApplyOCR } from '@headrace/ocr';
import { started } from './started.mjs';

/** A PNG file of one pixel. An image of an unknown size is refused. */
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns a function that recognizes an image with a program in this folder, which reports its start and never ends. */
export async function open(folder) {
  const temporary = join(folder, `${threadId}`);
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
  const tesseractPath = join(folder, 'endless-tesseract');
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const given = { lang: 'eng', byteArrayField: 'image', extractAllDest: 'text', tesseractPath };
  const params = withDefaults(ApplyOCR.parameters, given);
  const stage = new ApplyOCR(params, { log, trusted: true });
  await stage.start();
  return () => {
    const document = Document.create('1');
    document.set('image', IMAGE);
    return Object.assign(stage.process(document), { underWay: started(join(temporary, 'started')) });
  };
}
