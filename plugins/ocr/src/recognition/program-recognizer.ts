import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ChildProgram, HeadraceError, messageOf, type ProgramOptions } from 'headrace/engine';
import type { Region } from './page-map.ts';
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
    const installed = await languagesOf(program);
    const missing = lang.split('+').find((language) => !installed.includes(language));
    if (missing !== undefined) {
      throw new HeadraceError('HR_LIBRARY_MISSING', `${program} has no data for the language ${missing}`, {
        hint: `Install them (Debian: apt-get install tesseract-ocr-${missing}), or use one of: ${installed.join(' ').trim()}.`,
      });
    }
    return new ProgramRecognizer(program, lang);
  }

  async recognize(image: Uint8Array, region: Region | undefined): Promise<Recognized> {
    const folder = await mkdtemp(join(tmpdir(), 'headrace-ocr-'));
    try {
      const [input, output] = [join(folder, 'image'), join(folder, 'out')];
      await writeFile(input, image);
      // Tesseract reads the rectangle from the file with the name of the image and this extension.
      if (region !== undefined) await writeFile(`${input}.uzn`, zoneOf(region));
      await this.#run(input, output);
      const recognized = await readFile(`${output}.txt`, 'utf8');
      const confidence = meanConfidence(await readFile(`${output}.tsv`, 'utf8'));
      return { text: recognized.replace(/\f$/, ''), confidence };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Each call has its own process. */
  forDocument<T>(_bytes: number, read: () => Promise<T>): Promise<T> {
    return read();
  }

  async close(): Promise<void> {}

  async #run(input: string, output: string): Promise<void> {
    const options = ['-l', this.#lang, '--psm', PAGE_MODE, '--dpi', String(DOTS_PER_INCH)];
    const formats = ['-c', 'tessedit_create_txt=1', '-c', 'tessedit_create_tsv=1'];
    const tesseract = ChildProgram.start(this.#program, [input, output, ...options, ...formats], confined());
    tesseract.stdout.resume();
    const problems = await text(tesseract.stderr);
    const { code } = await tesseract.ended;
    if (code !== 0) throw new Error(`tesseract ended with code ${code}: ${problems.trim()}`);
  }
}

/** The memory of Tesseract: a page of 600 dots per inch needs a tenth of it. */
const MAX_BYTES = 2 * 1024 * 1024 * 1024;

/** Images of others may make the program use all memory. It gets only the variables that it needs. */
function confined(): ProgramOptions {
  const { PATH, LD_LIBRARY_PATH, TESSDATA_PREFIX, OMP_THREAD_LIMIT } = process.env;
  return {
    confined: { mounts: [], maxBytes: MAX_BYTES },
    env: { PATH, LD_LIBRARY_PATH, TESSDATA_PREFIX, OMP_THREAD_LIMIT },
  };
}

/** Throws if the program cannot be started. */
async function languagesOf(program: string): Promise<string[]> {
  try {
    const tesseract = ChildProgram.start(program, ['--list-langs'], confined());
    const [list, problems] = await Promise.all([text(tesseract.stdout), text(tesseract.stderr)]);
    const { code } = await tesseract.ended;
    if (code !== 0) throw new Error(`it ended with code ${code}: ${problems.trim()}`);
    return list.split(/\r?\n/).slice(1);
  } catch (error) {
    const message = `tesseractPath: ${program} cannot be started: ${messageOf(error)}`;
    throw new HeadraceError('HR_LIBRARY_MISSING', message, {
      hint: 'Write the path of the program tesseract, or remove tesseractPath to use the built-in engine.',
    });
  }
}

/** Returns a rectangle in the format UZN: left, top, width and height in pixels, and the kind of the content. */
function zoneOf({ x, y, width, height }: Region): string {
  const [left, top, right, bottom] = [x, y, x + width, y + height].map(Math.round) as [number, number, number, number];
  return `${left} ${top} ${right - left} ${bottom - top} Text\n`;
}

/** Returns the mean confidence of the words in the table of Tesseract. The rows of blocks and lines have -1. */
function meanConfidence(table: string): number {
  const confidences = table
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split('\t')[10]))
    .filter((confidence) => confidence >= 0);
  return confidences.reduce((sum, one) => sum + one, 0) / Math.max(1, confidences.length);
}
