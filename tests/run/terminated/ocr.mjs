import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { Document } from '@headrace/engine';
import { ApplyOCR } from '@headrace/ocr';
import { started } from './started.mjs';

/** Returns a function that recognizes an image with a program in this folder, which reports its start and never ends. */
export async function open(folder) {
  const temporary = join(folder, `${threadId}`);
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
  const tesseractPath = join(folder, 'endless-tesseract');
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const params = { lang: 'eng', byteArrayField: 'image', extractAllDest: 'text', tesseractPath };
  const stage = new ApplyOCR(params, { log, trusted: true });
  await stage.start();
  return () => {
    const document = Document.create('1');
    document.set('image', Buffer.from('image'));
    return Object.assign(stage.process(document), { underWay: started(join(temporary, 'started')) });
  };
}
