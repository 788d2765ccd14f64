import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HeadraceError, maxValueBytes } from 'headrace/engine';
import { parseFileUri, Storages } from 'headrace/storage';
import type { LoggerMessage, Worker } from 'tesseract.js';
import type { PrintedLine } from './engine-thread-entry.ts';
import type { Region } from './page-map.ts';
import { DOTS_PER_INCH, PAGE_MODE, type Recognized, type Recognizer, UNREADABLE } from './recognizer.ts';

/** The folder with data of languages in the working directory, as in Lucille. */
const DATA_FOLDER = 'TesseractOcr';
const MAX_DATA_BYTES = 100 * 1024 * 1024;
/** The smaller data of a package. They are as exact as the larger ones for printed text. */
const DATA_IN_PACKAGE = '4.0.0_best_int';

/** An image that needs a larger part of the memory for a value starts the engine again. */
const KEPT_PART = 1 / 2;

/** Tesseract as WebAssembly, in a thread. */
export class BuiltInRecognizer implements Recognizer {
  readonly #languages: readonly string[];
  readonly #onPrinted: (line: string) => void;
  /** Set by `#start`. */
  #worker!: Worker;
  /** What the engine has printed about the image that it reads. */
  #printed: string[] = [];
  /** The number of documents whose images are read. */
  #documents = 0;
  /** Set from the end of a large image until the engine has started again. */
  #restart: PromiseWithResolvers<void> | undefined;

  private constructor(languages: readonly string[], onPrinted: (line: string) => void) {
    this.#languages = languages;
    this.#onPrinted = onPrinted;
  }

  /**
   * Opens the engine. Throws if the data of a language are missing.
   * @param onPrinted called with each line that the engine prints about an image
   */
  static async open(languages: readonly string[], onPrinted: (line: string) => void): Promise<BuiltInRecognizer> {
    const recognizer = new BuiltInRecognizer(languages, onPrinted);
    await recognizer.#start();
    return recognizer;
  }

  async #start(): Promise<void> {
    const languages = this.#languages;
    // What the engine prints before is not about an image.
    let isStarted = false;
    // The library reads all languages from one folder.
    const folder = await mkdtemp(join(tmpdir(), 'headrace-ocr-'));
    try {
      for (const language of languages) await copyData(language, folder);
      const { createWorker, OEM } = (await import('tesseract.js')).default;
      const worker = await createWorker([...languages], OEM.LSTM_ONLY, {
        langPath: folder,
        cacheMethod: 'none',
        gzip: true,
        workerPath: fileURLToPath(new URL(`./engine-thread-entry${extname(import.meta.url)}`, import.meta.url)),
        logger: (message) => {
          if (isStarted) this.#hear(message);
        },
        // Without a handler, an error of the thread would end the process.
        errorHandler: () => undefined,
      });
      await worker.setParameters({
        tessedit_pageseg_mode: PAGE_MODE as never,
        user_defined_dpi: String(DOTS_PER_INCH),
        // Messages about images, such as that they are small, are not written to the log of the process.
        ...({ debug_file: '/dev/null' } as object),
      });
      isStarted = true;
      this.#worker = worker;
    } finally {
      // The engine has the data in its memory. A terminated thread would leave the folder.
      await rm(folder, { recursive: true, force: true });
    }
  }

  async recognize(image: Uint8Array, region: Region | undefined): Promise<Recognized> {
    const rectangle = region === undefined ? {} : { rectangle: rectangleOf(region) };
    const read = async (debug: boolean) => {
      const output = { text: true, tsv: true, debug };
      const { data } = await this.#worker
        .recognize(Buffer.from(image), rectangle, output)
        .catch((error) => {
          throw new Error(reasonOf(error, this.#printed));
        })
        .finally(() => {
          // The engine reads one image after the other, so the next lines are about the next image.
          this.#printed = [];
        });
      return data;
    };
    const { text, confidence, tsv } = await read(false);
    // The library ignores that Tesseract has refused an image. An image without text has a table with its size.
    // The messages of Tesseract say why. Collecting them takes a fifth of the time of a small image.
    if (tsv === '') throw new Error(refusal((await read(true)).debug ?? ''));
    return { text, confidence };
  }

  /**
   * Memory of WebAssembly never becomes smaller. So after a large image, the engine is started again, as soon as no
   * document is in progress. Other documents wait for it.
   */
  async forDocument<T>(bytes: number, read: () => Promise<T>): Promise<T> {
    while (this.#restart !== undefined) await this.#restart.promise;
    this.#documents++;
    try {
      return await read();
    } finally {
      this.#documents--;
      if (bytes > maxValueBytes() * KEPT_PART) this.#restart ??= Promise.withResolvers();
      if (this.#restart !== undefined && this.#documents === 0) await this.#startAgain(this.#restart);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #startAgain({ promise, resolve, reject }: PromiseWithResolvers<void>): Promise<void> {
    try {
      await this.#worker.terminate();
      await this.#start();
      this.#restart = undefined;
      this.#onPrinted('started again after a large image');
      resolve();
    } catch (error) {
      // All further documents fail with this error.
      promise.catch(() => undefined);
      reject(error);
    }
  }

  /** Receives the progress of the engine, and the lines that it prints. */
  #hear({ printed }: LoggerMessage & Partial<PrintedLine>): void {
    if (printed === undefined || printed === '') return;
    this.#printed.push(printed);
    this.#onPrinted(printed);
  }
}

/** Returns why the library has refused an image. It rejects with a text or an error, and prints the cause first. */
function reasonOf(error: unknown, [cause]: readonly string[]): string {
  const message = String(error).replace(/^(Error: )+/, '');
  if (message !== 'Error attempting to read image.') return message;
  return cause === undefined ? UNREADABLE : `${UNREADABLE} (${cause})`;
}

/** Returns why Tesseract has refused an image, from its messages. */
function refusal(messages: string): string {
  const size = /Image too large: \((\d+), (\d+)\)/.exec(messages);
  if (size === null) return `Tesseract has refused it: ${messages.trim() || 'without a reason'}`;
  return `it has ${size[1]}x${size[2]} pixels, and Tesseract reads at most 32767 on a side. Divide it, or make it smaller`;
}

/** Tesseract reads a wrong part of the image if a rectangle begins at the first row and column. */
function rectangleOf({ x, y, width, height }: Region) {
  const left = Math.max(1, x);
  const top = Math.max(1, y);
  return { left, top, width: x + width - left, height: y + height - top };
}

/** Copies the data of a language to the folder of the engine. */
async function copyData(language: string, folder: string): Promise<void> {
  const target = join(folder, `${language}.traineddata.gz`);
  const found = await ownData(language);
  if (found !== undefined) {
    // The data may be compressed or not. The library detects this and ignores the name of the file.
    await writeFile(target, found);
    return;
  }
  const name = `@tesseract.js-data/${language}`;
  let home: string;
  try {
    home = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    throw new HeadraceError('HR_LIBRARY_MISSING', `Tesseract has no data for the language ${language}`, {
      hint: `Install them: npm install ${name}. Or put ${language}.traineddata into the folder ${DATA_FOLDER}.`,
    });
  }
  await cp(join(home, DATA_IN_PACKAGE, `${language}.traineddata.gz`), target);
}

/** Returns the data in the working directory; undefined if there are none. */
async function ownData(language: string): Promise<Uint8Array | undefined> {
  const storages = new Storages({});
  try {
    const path = `./${DATA_FOLDER}/${language}.traineddata`;
    const uri = parseFileUri(path);
    const exists = await (await storages.of(uri)).stat(uri).then(
      () => true,
      () => false,
    );
    return exists ? await storages.readContent(path, MAX_DATA_BYTES) : undefined;
  } finally {
    await storages.close();
  }
}
