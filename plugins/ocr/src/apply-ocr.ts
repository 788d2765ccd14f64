import {
  type Document,
  HeadraceError,
  holdMemory,
  isMemoryError,
  MapOf,
  type MemoryHold,
  memoryOf,
  messageOf,
  OneOf,
  type ParameterProblem,
  Stage,
  type Static,
  Type,
} from 'headrace/engine';
import {
  checkStorageSettings,
  contentOf,
  type StorageSettings,
  Storages,
  storageParameters,
  unreadyStorages,
} from 'headrace/storage';
import { type PageMap, type Region, readPageMap } from './recognition/page-map.ts';
import { MAX_PIXELS, type Picture } from './recognition/picture.ts';
import type { Recognized, Recognizer } from './recognition/recognizer.ts';

const parameters = Type.Object({
  /** The language, such as eng, or several joined by +. */
  lang: Type.String(),
  /** The field with the path of an image or a PDF file: a local path, or a URI of a block below. */
  pathField: Type.Optional(Type.String()),
  /** The field with the bytes of the file, or their base64 text, instead of pathField. */
  byteArrayField: Type.Optional(Type.String()),
  /** The field for the text of the whole file: a value for each page. The previous value is replaced. */
  extractAllDest: Type.Optional(Type.String()),
  /** The templates of forms: rectangles in pixels, from the top left. Pages of PDF files have 300 pixels per inch. */
  extractionTemplates: Type.Optional(
    Type.Array(
      Type.Object({
        /** The name of the template. */
        name: Type.String(),
        /** The rectangles to read. */
        regions: Type.Array(
          Type.Object({
            /** The distance from the left edge. */
            x: Type.Number({ minimum: 0 }),
            /** The distance from the top edge. */
            y: Type.Number({ minimum: 0 }),
            /** The width. */
            width: Type.Number({ exclusiveMinimum: 0 }),
            /** The height. */
            height: Type.Number({ exclusiveMinimum: 0 }),
            /** The field for the text, which is added to the values that it has. */
            dest: Type.String(),
          }),
        ),
      }),
    ),
  ),
  /** The template of each page, from 0: pages { 0: invoice }. Needs extractionTemplates. */
  pages: Type.Optional(MapOf(Type.String())),
  /** The field with such a map as JSON text. It has priority over pages. Needs extractionTemplates. */
  pagesField: Type.Optional(Type.String()),
  /** The field for the mean confidence of all texts, from 0 to 100. */
  confidenceField: Type.Optional(Type.String()),
  /**
   * What happens if a file or one of its pages cannot be read. continue keeps what could be read, and logs a warning.
   * fail fails the document.
   */
  onError: OneOf(['continue', 'fail'], { default: 'continue' }),
  /** The field for the reason why a file could not be read completely. */
  errorField: Type.Optional(Type.String()),
  /**
   * The program tesseract, which is used instead of the built-in engine. It must have the languages. Uploaded configs may
   * not set it.
   */
  tesseractPath: Type.Optional(Type.String()),
  ...storageParameters,
});

type Params = Static<typeof parameters>;

/** The text "Hello, World!" as a PNG file, in base64. */
const HELLO = [
  'iVBORw0KGgoAAAANSUhEUgAAASwAAABDAQMAAAAcZqoNAAAABlBMVEX///8AAABVwtN+AAAACXBIWXMAAAsSAAALEgHS3X78AAABHklE',
  'QVRIx+3UsU7DMBAG4IuK4g7G6XiDFV7BUzkJC16lUl7gxg5ImIWJB+jAwyRkYOEBOkbqyhC2DBUhTQpTbGVF5J88fB7uzmeAOXPm/Mtw',
  '/ntEkKMkvzizDUQDW40y9cP0wvWMwixdwATGt2EWOc6XHVsLcBFGPpbUnLcAZi1Ec7NLPjws3XJxcGCuY2Xv0N57GCKXjzlQFmtlka2H',
  'Gc2lqzqmSBGyHmXtl5FcQgWYSYoJNz7Gkt+6GWD2bARh5av04dgzXUxkL0HG0DNZ7ILsXIIs9kMJEGzIpdsPDfEwOrX3FRLX6NPZGt+w',
  'tp+HJxCuVpZSe/SNvqK6VSCARUPp1TuNb0L/ttVwB2ABq8DWyGnLpaex5fwNzflj+QZ1yGylFUPcBgAAAABJRU5ErkJggg==',
].join('');

const MAX_FILE_BYTES = 256 * 1024 * 1024;
/**
 * What the engine needs for each pixel of an image in colour: the decoded image, a copy without transparency, and a grey and
 * a binary one. One image is decoded at a time.
 */
const BYTES_PER_PIXEL = 20;

/**
 * Recognizes text in images and in the pages of PDF files with Tesseract. It reads whole pages, or the rectangles of
 * forms.
 *
 * The data of English come with the plugin. Another language is found in the folder TesseractOcr of the working
 * directory, as deu.traineddata, or in its package: npm install @tesseract.js-data/deu. Nothing is downloaded during a
 * run.
 *
 * Texts keep their line ends. A document without a file stays unchanged; the first one is reported with a warning. If a
 * file cannot be read, the document continues, with a warning: onError and errorField change this. Images may have
 * 32,767 pixels on a side, and 200 million in total. A page of a PDF file that cannot be read has an empty text in the
 * list of the pages. A region outside its page, or of an image that cannot be read, fails the document.
 */
export class ApplyOCR extends Stage<typeof parameters> {
  static readonly javaClass = 'com.kmwllc.lucille.ocr.stage.ApplyOCR';
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The text of an image that is in the document, as base64',
      params: { lang: 'eng', byteArrayField: 'image', extractAllDest: 'text' },
      documents: [{ id: '1', image: HELLO }],
      output: [{ id: '1', image: HELLO, text: 'Hello, World!\n' }],
    },
  ];

  static override *check(params: Params): Generator<ParameterProblem> {
    const { lang, pathField, byteArrayField, extractAllDest, extractionTemplates = [], pages, pagesField } = params;
    if (!/^[A-Za-z_]{3,}(\+[A-Za-z_]{3,})*$/.test(lang)) {
      yield { parameter: 'lang', message: `${lang} is not a language code`, hint: 'Write eng, or eng+deu.' };
    }
    if ((pathField === undefined) === (byteArrayField === undefined)) {
      yield {
        parameter: 'pathField',
        message: pathField === undefined ? 'pathField is missing' : 'pathField and byteArrayField are both set',
        hint: 'Set only the parameter that names the field with the file.',
      };
    }
    if ((pages !== undefined || pagesField !== undefined) && extractionTemplates.length === 0) {
      yield {
        parameter: pages === undefined ? 'pagesField' : 'pages',
        message: 'pages and pagesField need extractionTemplates',
        hint: 'Add extractionTemplates.',
      };
    }
    if (extractAllDest === undefined && pages === undefined && pagesField === undefined) {
      yield {
        parameter: 'extractAllDest',
        severity: 'warning',
        message: 'The stage has no effect: it has neither extractAllDest nor pages',
        hint: 'Set extractAllDest.',
      };
    }
    const names = new Set(extractionTemplates.map(({ name }) => name));
    for (const [page, template] of pages ?? []) {
      if (!/^\d+$/.test(page)) yield { parameter: ['pages', page], message: `${page} is not a page number from 0` };
      if (!names.has(template)) {
        yield { parameter: ['pages', page], message: `There is no template ${template}`, severity: 'warning' };
      }
    }
    yield* checkStorageSettings(params as StorageSettings);
    yield* unreadyStorages(params as StorageSettings);
  }

  override readonly maxInFlight = 2;
  readonly #storages = new Storages(this.params as StorageSettings);
  readonly #templates = new Map(this.params.extractionTemplates?.map(({ name, regions }) => [name, regions]));
  #recognizer: Recognizer | undefined;
  /** Whether a document without the field was reported. */
  #hasWarned = false;

  override async start(): Promise<void> {
    const { lang, tesseractPath } = this.params;
    if (tesseractPath === undefined) {
      const { BuiltInRecognizer } = await import('./recognition/built-in-recognizer.ts');
      this.#recognizer = await BuiltInRecognizer.open(lang.split('+'), (line) => {
        this.context.log.debug(`Tesseract: ${line}`);
      });
      return;
    }
    if (!this.context.trusted) {
      throw new HeadraceError('HR_POLICY_REFUSED', 'An uploaded config may not set tesseractPath of ApplyOCR');
    }
    const { ProgramRecognizer } = await import('./recognition/program-recognizer.ts');
    this.#recognizer = await ProgramRecognizer.open(tesseractPath, lang);
  }

  override async stop(): Promise<void> {
    await this.#recognizer?.close();
    await this.#storages.close();
  }

  override process(document: Document): Promise<void> | undefined {
    const { pathField, byteArrayField } = this.params;
    const field = (pathField ?? byteArrayField) as string;
    if (document.has(field)) return this.#apply(document);
    this.context.notices.report('stage.unchanged', {
      document: document.id,
      field,
      hint: 'the document has no such field',
    });
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      const parameter = pathField === undefined ? 'byteArrayField' : 'pathField';
      const message = `The document has no field ${field} (${parameter}) and stays unchanged; others are not reported`;
      this.context.log.warn(message, { document: document.id });
    }
    return undefined;
  }

  async #apply(document: Document): Promise<void> {
    const drawing = holdMemory(`drawing the pages of document ${document.id}`, document);
    try {
      await this.#read(document, drawing);
    } finally {
      drawing.release();
    }
  }

  /** @param drawing counts the memory of PDFium */
  async #read(document: Document, drawing: MemoryHold): Promise<void> {
    const { pagesField, extractAllDest, confidenceField } = this.params;
    let pictures: readonly Picture[];
    const wanted = this.#pagesOf(document, pagesField);
    try {
      const bytes = await contentOf(
        document,
        { pathField: this.params.pathField, bytesField: this.params.byteArrayField },
        this.#storages,
        MAX_FILE_BYTES,
        memoryOf(document),
      );
      if (bytes === undefined) return;
      const { openPictures } = await import('./recognition/picture.ts');
      pictures = await openPictures(bytes, (size) => drawing.takeIfFree(size - drawing.bytes));
    } catch (error) {
      if (isMemoryError(error)) throw error;
      this.#problem(document, 'The file', error);
      return;
    }
    const confidences: number[] = [];
    const memory = holdMemory(`reading the images of document ${document.id}`, document);
    try {
      const needed = BYTES_PER_PIXEL * Math.max(0, ...pictures.map(pixelsOf));
      await memory.take(needed);
      await this.#started.forDocument(needed, async () => {
        if (extractAllDest !== undefined) await this.#readAll(document, pictures, extractAllDest, confidences);
        for (const [page, template] of wanted) await this.#readRegions(document, pictures, page, template, confidences);
      });
    } finally {
      memory.release();
      for (const picture of pictures) picture.close();
    }
    if (confidenceField !== undefined && confidences.length > 0) {
      const mean = confidences.reduce((sum, one) => sum + one, 0) / confidences.length;
      document.set(confidenceField, Math.round(mean * 10) / 10);
    }
  }

  async #readAll(document: Document, pictures: readonly Picture[], dest: string, confidences: number[]): Promise<void> {
    const texts: string[] = [];
    let read = 0;
    for (const [page, picture] of pictures.entries()) {
      try {
        const found = await this.#recognize(await picture.image(), undefined);
        texts.push(found.text);
        confidences.push(found.confidence);
        read++;
      } catch (error) {
        this.#problem(document, pictures.length === 1 ? 'The image' : `Page ${page}`, error);
        // The other pages keep their places.
        texts.push('');
      }
    }
    if (read > 0) document.set(dest, texts.length === 1 ? (texts[0] as string) : texts);
  }

  async #readRegions(
    document: Document,
    pictures: readonly Picture[],
    page: number,
    template: string,
    confidences: number[],
  ): Promise<void> {
    const regions = this.#templates.get(template);
    const picture = pictures[page];
    if (regions === undefined || picture === undefined) {
      const what = regions === undefined ? `template ${template}` : `page ${page}`;
      const message = `There is no ${what}: its regions are not read`;
      this.context.notices.report('image.unreadable', { document: document.id, hint: message });
      this.context.log.warn(message, { document: document.id });
      return;
    }
    const image = await picture.image();
    for (const region of regions) {
      const { x, y, width, height, dest } = region;
      if (picture.size !== undefined && (x + width > picture.size.width || y + height > picture.size.height)) {
        throw new Error(
          `The region ${x},${y} ${width}x${height} is outside page ${page}, which has ${picture.size.width}x${picture.size.height} pixels`,
        );
      }
      const found = await this.#recognize(image, region).catch((error) => {
        throw new Error(`Page ${page} cannot be read: ${messageOf(error)}`);
      });
      document.setOrAdd(dest, found.text);
      confidences.push(found.confidence);
    }
  }

  /** Reports what could not be read, and why, as the config says. */
  #problem(document: Document, what: string, error: unknown): void {
    const { onError, errorField, pathField } = this.params;
    const path = pathField === undefined ? undefined : document.text(pathField);
    const message = `${what}${path === undefined ? '' : ` of ${path}`} cannot be read: ${messageOf(error)}`;
    if (onError === 'fail') throw new HeadraceError('HR_STAGE_FAILED', message);
    if (errorField !== undefined) document.setOrAdd(errorField, message);
    this.context.notices.report('image.unreadable', { document: document.id, file: path, hint: message });
    this.context.log.warn(message, { document: document.id });
  }

  #recognize(image: Uint8Array, region: Region | undefined): Promise<Recognized> {
    return this.#started.recognize(image, region);
  }

  get #started(): Recognizer {
    // The engine calls `start` first.
    return this.#recognizer as Recognizer;
  }

  #pagesOf(document: Document, pagesField: string | undefined): PageMap {
    const fixed: PageMap = new Map([...(this.params.pages ?? [])].map(([page, name]) => [Number(page), name]));
    const text = pagesField === undefined ? undefined : document.text(pagesField);
    if (text === undefined) return fixed;
    const { pages, problem } = readPageMap(text);
    if (problem !== undefined) this.context.log.warn(`${pagesField}: ${problem}`, { document: document.id });
    return new Map([...fixed, ...pages]);
  }
}

function pixelsOf({ size }: Picture): number {
  const pixels = size === undefined ? 0 : size.width * size.height;
  // A larger image is refused before it is decoded.
  return pixels > MAX_PIXELS ? 0 : pixels;
}
