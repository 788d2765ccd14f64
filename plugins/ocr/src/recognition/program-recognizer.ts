import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { HeadraceError, messageOf } from 'headrace/engine';
import type { Region } from './page-map.ts';
import { greyImage } from './picture.ts';
import { DOTS_PER_INCH, PAGE_MODE, type Recognized, type Recognizer } from './recognizer.ts';

/** Tesseract as a program of the operating system. It starts once for each image. */
export class ProgramRecognizer implements Recognizer {
  readonly #program: string;
  readonly #lang: string;

  private constructor(program: string, lang: string) {
    this.#program = program;
    this.#lang = lang;
  }

  /** Throws if the program cannot be started, or has no data of a language. */
  static async open(program: string, lang: string): Promise<ProgramRecognizer> {
    const { stdout } = await promisify(execFile)(program, ['--list-langs']).catch((error) => {
      throw new HeadraceError(
        'HR_LIBRARY_MISSING',
        `tesseractPath: ${program} cannot be started: ${messageOf(error)}`,
        {
          hint: 'Write the path of the program tesseract, or remove tesseractPath to use the built-in engine.',
        },
      );
    });
    const installed = stdout.split(/\r?\n/).slice(1);
    const missing = lang.split('+').find((language) => !installed.includes(language));
    if (missing !== undefined) {
      throw new HeadraceError('HR_LIBRARY_MISSING', `${program} has no data for the language ${missing}`, {
        hint: `Install them (Debian: apt-get install tesseract-ocr-${missing}), or use one of: ${installed.join(' ').trim()}.`,
      });
    }
    return new ProgramRecognizer(program, lang);
  }

  async recognize(image: Uint8Array, region: Region | undefined): Promise<Recognized> {
    const part = region === undefined ? image : cropped(image, region);
    const table = await this.#run(part, ['tsv']);
    const text = await this.#run(part, []);
    const confidences = table
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split('\t')[10]))
      .filter((confidence) => confidence >= 0);
    const mean = confidences.reduce((sum, one) => sum + one, 0) / Math.max(1, confidences.length);
    return { text: text.replace(/\f$/, ''), confidence: mean };
  }

  async close(): Promise<void> {}

  #run(image: Uint8Array, configs: readonly string[]): Promise<string> {
    const options = ['-l', this.#lang, '--psm', PAGE_MODE, '--dpi', String(DOTS_PER_INCH), ...configs];
    return new Promise((resolve, reject) => {
      const child = spawn(this.#program, ['stdin', 'stdout', ...options], { stdio: ['pipe', 'pipe', 'pipe'] });
      const out: Buffer[] = [];
      const problems: Buffer[] = [];
      child.stdout.on('data', (piece: Buffer) => out.push(piece));
      child.stderr.on('data', (piece: Buffer) => problems.push(piece));
      child.on('error', reject);
      // The program may end before it has read the whole image.
      child.stdin.on('error', () => undefined);
      child.on('close', (code) => {
        if (code === 0) resolve(Buffer.concat(out).toString());
        else reject(new Error(`tesseract ended with code ${code}: ${Buffer.concat(problems).toString().trim()}`));
      });
      child.stdin.end(image);
    });
  }
}

/** Cuts a rectangle out of an image in the PGM format, which pages of PDF files have. */
function cropped(image: Uint8Array, { x, y, width, height }: Region): Uint8Array {
  const header = /^P5\n(\d+) \d+\n255\n/.exec(Buffer.from(image.subarray(0, 64)).toString('latin1'));
  if (header === null) throw new Error('The program tesseract reads regions of PDF pages only, not of images');
  const row = Number(header[1]);
  const start = header[0].length;
  const pixels = new Uint8Array(width * height);
  for (let line = 0; line < height; line++) {
    const from = start + (y + line) * row + x;
    pixels.set(image.subarray(from, from + width), line * width);
  }
  return greyImage(pixels, width, height);
}
