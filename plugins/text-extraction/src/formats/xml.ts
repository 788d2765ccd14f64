import { SaxesParser } from 'saxes';
import { decodedBy, decodeText, namedInAscii } from './charset.ts';

/**
 * The attributes of an element, by name without prefix. Most are never asked for, so names are compared only then: a map
 * for each element took a third of the time of a large file of styles.
 */
export class Attributes {
  readonly #values: Readonly<Record<string, string>>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values;
  }

  /** Returns the value of an attribute, the last one if several differ only in the prefix. */
  get(name: string): string | undefined {
    let found: string | undefined;
    for (const key in this.#values) {
      if (key.endsWith(name) && localName(key) === name) found = this.#values[key];
    }
    return found;
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const [key, value] of Object.entries(this.#values)) yield [localName(key), value];
  }
}

/** Called for the parts of an XML document. Names have no prefix. */
export interface XmlEvents {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads an XML document. Office files use different prefixes for the same names, so prefixes are removed. Entities that
 * the document itself defines are not expanded.
 * @param onError called for what is not well-formed; throws by default
 */
export function readXml(bytes: Uint8Array, events: XmlEvents, onError: (error: Error) => void = raise): void {
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  parser.on('error', onError);
  parser.on('opentag', ({ name, attributes }) => events.open?.(localName(name), new Attributes(attributes)));
  parser.on('closetag', ({ name }) => events.close?.(localName(name)));
  parser.on('text', (text) => events.text?.(text));
  parser.on('cdata', (text) => events.text?.(text));
  parser.write(decodeXml(bytes)).close();
}

/** Returns the texts of elements by their name, for small documents such as metadata. */
export function xmlTexts(bytes: Uint8Array): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  const path: { name: string; text: string }[] = [];
  readXml(bytes, {
    open: (name) => void path.push({ name, text: '' }),
    text(text) {
      const element = path.at(-1);
      if (element !== undefined) element.text += text;
    },
    close() {
      const element = path.pop();
      if (element !== undefined && element.text.trim() !== '') {
        texts.getOrInsertComputed(element.name, () => []).push(element.text.trim());
      }
    },
  });
  return texts;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function raise(error: Error): never {
  throw error;
}

const DECLARATION = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;

/** A byte-order mark or the declaration names the encoding. UTF-8 is the default. */
function decodeXml(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 200));
  const named = namedInAscii(DECLARATION.exec(start.toString('latin1'))?.[1]);
  if (named !== undefined && !/^utf-?8$/i.test(named)) return decodeText(bytes, named).text;
  const [first, second] = bytes;
  // "<?" in EBCDIC. The characters of a declaration are the same in all its code pages.
  if (first === 0x4c && second === 0x6f) {
    return decodeText(bytes, DECLARATION.exec(decodedBy(start, 'IBM037').text)?.[1]).text;
  }
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
