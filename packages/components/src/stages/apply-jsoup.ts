import {
  type Document,
  HeadraceError,
  isMemoryError,
  MapOf,
  memoryOf,
  messageOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type Value,
} from '@headrace/engine';
import { type CharsetDecoder, charsetDecoder, htmlText } from '@headrace/formats/charsets';
import {
  attributeValue,
  compileSelector,
  elementsOf,
  elementText,
  type HtmlElement,
  innerMarkup,
  outerMarkup,
  type Selector,
  SelectorError,
} from '@headrace/formats/xml/html';
import { compileJavaRegex } from '@headrace/languages/java/regex';
import { decodeBase64 } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';
import { localPath } from '../file-formats/byte-source.ts';
import { readLocalFile } from '../storage/read-whole.ts';

const parameters = Type.Object({
  /** The field with the path of a local file. One of filePathField, byteArrayField and stringField is required. */
  filePathField: Type.Optional(Type.String()),
  /** The field with the page as bytes, or as bytes in base64. */
  byteArrayField: Type.Optional(Type.String()),
  /** The field with the page as text. */
  stringField: Type.Optional(Type.String()),
  /**
   * The charset of the bytes or the file. Defaults to the charset that the file declares, or else UTF-8. A byte-order
   * mark in a file overrides it.
   */
  charset: Type.Optional(Type.String()),
  /**
   * For each field, what is copied to it, such as title: {type: text, selector: "h1"}, links: {type: attribute,
   * selector: "a[href]", attribute: href}.
   */
  destinationFields: MapOf(MapOf(Type.String())),
});

const SOURCES = ['filePathField', 'byteArrayField', 'stringField'] as const;
const TYPES = ['text', 'attribute', 'html', 'outerHtml'];
/** The maximum number of files that are read in parallel. */
const FILES_IN_FLIGHT = 8;
/** The largest page. Its elements need many times as much memory. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/**
 * Copies parts of an HTML page to fields. The page is a text in a field, bytes in a field, or a local file that a field
 * names. CSS selectors select the parts.
 *
 * Each entry of destinationFields has a selector and a type. The type says what is copied from the selected elements.
 * text: their text; white space, line breaks and the borders of blocks become single blanks, and elements without text
 * are omitted. attribute: the value of the attribute that attribute names; elements without it are omitted. The
 * prefix abs: selects only absolute URLs. html, outerHtml: the markup inside the elements, or including their tags,
 * with indents. One element makes a text, several make a list, in the order of the page. The field is overwritten. If
 * nothing is selected, the field does not change.
 *
 * Selectors are those of jsoup: CSS, with names, classes and values in any letter case, and also :contains(text),
 * :containsOwn(text), :matches(regex), :matchesOwn(regex), :has(selector), :eq(n), :lt(n), :gt(n), [^prefix] and
 * [name~=regex]. Patterns use the syntax of Java.
 *
 * A document without the field does not change. Null, bytes that cannot be decoded, or a file that cannot be read fails
 * the document, and so does a file of more than 64 MiB. If the field is a list, its first value is used.
 */
export class ApplyJSoup extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Title, author and links of a page',
      params: {
        stringField: 'page',
        destinationFields: {
          title: { type: 'text', selector: 'h1' },
          author: { type: 'attribute', selector: 'meta[name=author]', attribute: 'content' },
          links: { type: 'attribute', selector: 'a', attribute: 'href' },
        },
      },
      documents: [
        {
          id: '1',
          page: '<meta name="author" content="Ann"><h1>Salt &amp; <i>Sand</i></h1><a href="/a">a</a><a href="/b">b</a>',
        },
      ],
      output: [
        {
          id: '1',
          page: '<meta name="author" content="Ann"><h1>Salt &amp; <i>Sand</i></h1><a href="/a">a</a><a href="/b">b</a>',
          title: 'Salt & Sand',
          author: 'Ann',
          links: ['/a', '/b'],
        },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const given = SOURCES.filter((name) => params[name] !== undefined);
    if (given.length !== 1) {
      yield {
        parameter: given[1] ?? 'destinationFields',
        message: `Exactly one of ${SOURCES.join(', ')} must be given`,
        hint: 'It names the field with the page.',
      };
    }
    const { charset } = params;
    if (charset !== undefined && charsetDecoder(charset) === undefined) {
      yield { parameter: 'charset', message: `The charset "${charset}" is not known` };
    }
    for (const [field, entry] of params.destinationFields) {
      for (const problem of checkDestination(`"${field}"`, field)) {
        yield { ...problem, parameter: ['destinationFields', field] };
      }
      yield* checkEntry(['destinationFields', field], entry);
    }
  }

  override readonly maxInFlight: number;
  readonly #extractions: readonly Extraction[];
  readonly #markup: boolean;
  #parseHtml!: typeof import('@headrace/formats/xml/html/reader').parseHtml;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.maxInFlight = params.filePathField === undefined ? 1 : FILES_IN_FLIGHT;
    this.#extractions = [...params.destinationFields].map(([field, entry]) => new Extraction(field, entry));
    this.#markup = this.#extractions.some((extraction) => extraction.markup);
  }

  override async start(): Promise<void> {
    ({ parseHtml: this.#parseHtml } = await import('@headrace/formats/xml/html/reader'));
  }

  override process(document: Document): void | Promise<void> {
    const { filePathField, byteArrayField, stringField } = this.params;
    const field = (stringField ?? byteArrayField ?? filePathField) as string;
    const value = document.first(field);
    if (value === undefined) return;
    if (value === null) throw new HeadraceError('HR_STAGE_FAILED', `Field "${field}" is null: there is no page`);
    if (stringField !== undefined) this.#extract(document, textOf(value) as string);
    else if (byteArrayField !== undefined) this.#extract(document, this.#decode(bytesOf(value, byteArrayField)));
    else return this.#extractFile(document, textOf(value) as string);
  }

  async #extractFile(document: Document, path: string): Promise<void> {
    let bytes: Buffer;
    try {
      bytes = await readLocalFile(localPath(path), undefined, MAX_PAGE_BYTES, memoryOf(document));
    } catch (error) {
      if (isMemoryError(error)) throw error;
      throw new HeadraceError('HR_STAGE_FAILED', `The page ${path} cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#extract(document, htmlText(bytes, this.params.charset));
  }

  #decode(bytes: Uint8Array): string {
    const decoder = charsetDecoder(this.params.charset ?? 'utf-8') as CharsetDecoder;
    return decoder.decode(bytes, false);
  }

  #extract(document: Document, page: string): void {
    const elements = elementsOf(this.#parseHtml(page, this.#markup));
    for (const extraction of this.#extractions)
      document.update(extraction.field, 'overwrite', extraction.values(elements));
  }
}

/** Copies parts of a page to one field. */
class Extraction {
  readonly field: string;
  /** True if the extraction copies markup, which needs the page unchanged. */
  readonly markup: boolean;
  readonly #selector: Selector;
  readonly #valueOf: (element: HtmlElement) => string | undefined;

  constructor(field: string, entry: ReadonlyMap<string, string>) {
    this.field = field;
    const type = entry.get('type') as string;
    this.markup = type === 'html' || type === 'outerHtml';
    this.#selector = compileSelector(entry.get('selector') as string, compileJavaRegex);
    const attribute = (entry.get('attribute') ?? '').toLowerCase();
    this.#valueOf =
      type === 'attribute'
        ? (element) => attributeValue(element, attribute)
        : type === 'text'
          ? (element) => elementText(element) || undefined
          : type === 'html'
            ? innerMarkup
            : outerMarkup;
  }

  values(elements: readonly HtmlElement[]): string[] {
    const values: string[] = [];
    for (const element of this.#selector.select(elements)) {
      const value = this.#valueOf(element);
      if (value !== undefined) values.push(value);
    }
    return values;
  }
}

function* checkEntry(path: readonly [string, string], entry: ReadonlyMap<string, string>): Generator<ParameterProblem> {
  for (const key of entry.keys()) {
    if (key === 'type' || key === 'selector' || key === 'attribute') continue;
    yield { parameter: [...path, key], message: `${key} has no effect here`, severity: 'warning' };
  }
  const type = entry.get('type');
  const selector = entry.get('selector');
  if (type === undefined)
    yield { parameter: path, message: `destinationFields."${path[1]}" must have a type`, hint: TYPES_HINT };
  else if (!TYPES.includes(type)) {
    yield { parameter: [...path, 'type'], message: `The type "${type}" is not known`, hint: TYPES_HINT };
  }
  if (type === 'attribute' && entry.get('attribute') === undefined) {
    yield { parameter: path, message: `destinationFields."${path[1]}" must name an attribute` };
  }
  if (selector === undefined) {
    yield { parameter: path, message: `destinationFields."${path[1]}" must have a selector` };
    return;
  }
  try {
    compileSelector(selector, compileJavaRegex);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    yield { parameter: [...path, 'selector'], message: `The selector cannot be used: ${error.message}` };
  }
}

const TYPES_HINT = `Use one of ${TYPES.join(', ')}.`;

function bytesOf(value: Value, field: string): Uint8Array {
  const bytes = value instanceof Uint8Array ? value : typeof value === 'string' ? decodeBase64(value) : undefined;
  if (bytes !== undefined) return bytes;
  throw new HeadraceError('HR_STAGE_FAILED', `Field "${field}" holds neither bytes nor padded base64 text`);
}
