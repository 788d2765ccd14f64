import type { XmlNames } from '../xml-names.ts';
import { NextMark, NOWHERE } from './next-mark.ts';

/** An attribute in a tag. */
export interface XmlAttribute {
  /** The number of the name. */
  readonly name: number;
  /** The range of the value. */
  readonly from: number;
  readonly to: number;
  /** The value, if it is not the range of the source. */
  readonly value: string | undefined;
}

const NAME_START =
  ':A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';
const NAME = new RegExp(`[${NAME_START}][${NAME_START}\\-.0-9\\xb7\\u{300}-\\u{36f}\\u{203f}\\u{2040}]*`, 'uy');
const ASCII_NAME_START = 1;
const ASCII_NAME = 2;
/** The meaning of ASCII characters in names, because almost all names have no other characters. */
const MEANING: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /[A-Za-z_:]/.test(char) ? ASCII_NAME_START | ASCII_NAME : /[0-9.-]/.test(char) ? ASCII_NAME : 0;
});
/**
 * Matches an illegal character. A lone surrogate is accepted, because its other half was already lost. So the pattern
 * needs no flag for characters of two units, with which it takes longer.
 */
const ILLEGAL = /[\0-\x08\x0b-\x1f\ufffe\uffff]/;
const GREATER = 62;
const SLASH = 47;
const REFERENCE = /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([^\s&;#<]+));|&/g;
const DECLARATION =
  /<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(["'])1\.[0-9]+\1(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(["'])[A-Za-z][A-Za-z0-9._-]*\2)?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(["'])(?:yes|no)\3)?[ \t\n]*\?>/y;
const PREDEFINED: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
});

/** Reads the tags, names and references of an XML text whose lines end in LF. */
export class XmlTags {
  /** The texts of the allowed entities. */
  entities: Readonly<Record<string, string>> = PREDEFINED;
  /** The offset after the last name that was read. */
  nameEnd = 0;
  /** True if the last text contains `&`, or `]]>`. */
  hasReferences = false;
  hasSectionEnd = false;
  /** True if the last value is a range of the source. */
  #isPlainValue = true;
  readonly #text: string;
  readonly #names: XmlNames;
  readonly #less: NextMark;
  readonly #ampersand: NextMark;
  readonly #sectionEnd: NextMark;
  readonly #tab: NextMark;
  readonly #lineEnd: NextMark;
  /** The position of the first illegal character. */
  readonly #illegalAt: number;

  constructor(text: string, names: XmlNames) {
    this.#text = text;
    this.#names = names;
    this.#less = new NextMark(text, '<');
    this.#ampersand = new NextMark(text, '&');
    this.#sectionEnd = new NextMark(text, ']]>');
    this.#tab = new NextMark(text, '\t');
    this.#lineEnd = new NextMark(text, '\n');
    const illegal = text.search(ILLEGAL);
    this.#illegalAt = illegal < 0 ? NOWHERE : illegal;
  }

  /** Returns an error with the line and column of an offset. */
  error(message: string, at: number): SyntaxError {
    const before = this.#text.slice(0, at);
    const line = before.split('\n').length;
    return new SyntaxError(`${line}:${at - before.lastIndexOf('\n')}: ${message}`);
  }

  /** Returns the offset of the next tag after a text, or the end of the document. */
  textEnd(from: number): number {
    const end = Math.min(this.#less.from(from), this.#text.length);
    this.#checkCharacters(end);
    this.hasReferences = this.#ampersand.from(from) < end;
    this.hasSectionEnd = this.#sectionEnd.from(from) < end;
    return end;
  }

  #illegal(at: number): SyntaxError {
    const code = this.#text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
    return this.error(`the character U+${code} is not allowed`, at);
  }

  /** Returns the offset after the XML declaration, or 0 if there is none. */
  afterDeclaration(): number {
    if (!/^<\?xml[ \t\n?]/.test(this.#text)) return 0;
    DECLARATION.lastIndex = 0;
    if (!DECLARATION.test(this.#text)) throw this.error('the XML declaration is not complete', 0);
    return DECLARATION.lastIndex;
  }

  /** Returns the next position of a mark. Throws if the mark is missing, or if an illegal character is before it. */
  find(mark: string, from: number, at: number, what: string): number {
    const found = this.#text.indexOf(mark, from);
    if (found < 0) throw this.error(`${what} is never closed`, at);
    this.#checkCharacters(found);
    return found;
  }

  /** Throws if an illegal character is before this position. */
  #checkCharacters(to: number): void {
    if (this.#illegalAt < to) throw this.#illegal(this.#illegalAt);
  }

  /** Returns the number of the name at a position. */
  name(at: number, what: string): number {
    const text = this.#text;
    const names = this.#names;
    let number = names.expected(text, at);
    if (number >= 0) {
      const end = at + (names.list[number] as string).length;
      const code = text.charCodeAt(end);
      if (code < 128 && ((MEANING[code] as number) & ASCII_NAME) === 0) {
        this.nameEnd = end;
        names.read(number);
        return number;
      }
    }
    this.nameEnd = this.#nameEnd(at, what);
    number = names.add(text.slice(at, this.nameEnd));
    names.read(number);
    return number;
  }

  #nameEnd(at: number, what: string): number {
    const text = this.#text;
    let end = at;
    let code = text.charCodeAt(end);
    if (code < 128 && ((MEANING[code] as number) & ASCII_NAME_START) !== 0) {
      do code = text.charCodeAt(++end);
      while (code < 128 && ((MEANING[code] as number) & ASCII_NAME) !== 0);
      if (!(code >= 128)) return end;
    }
    NAME.lastIndex = at;
    if (!NAME.test(text)) throw this.error(`${what} is missing`, at);
    return NAME.lastIndex;
  }

  /**
   * Reads the attributes of a tag. Returns the offset of the `>` or `/>` that ends the tag.
   * @param from the offset after the name of the element
   * @param at the offset of the tag
   */
  attributes(from: number, at: number, attributes: XmlAttribute[]): number {
    const text = this.#text;
    for (let i = from; ; ) {
      const next = this.skipSpace(i);
      const code = text.charCodeAt(next);
      if (code === GREATER || (code === SLASH && text.charCodeAt(next + 1) === GREATER)) return next;
      if (next >= text.length) throw this.error(`the tag <${text.slice(at + 1, from)}> is never closed`, at);
      if (next === i) throw this.error('white space is missing before an attribute', next);
      i = this.#attribute(next, attributes);
    }
  }

  /** Reads an end tag. Returns the offset of its `>`. */
  endTag(at: number): number {
    this.nameEnd = this.#nameEnd(at + 2, 'the name of an element');
    const end = this.skipSpace(this.nameEnd);
    if (this.#text[end] !== '>') throw this.error('an end tag must be closed with ">"', at);
    return end;
  }

  /** Returns the position of the `>` of the document type. */
  doctypeEnd(from: number): number {
    const text = this.#text;
    let subset = false;
    for (let at = from; at < text.length; at++) {
      const char = text[at];
      if (char === '"' || char === "'") at = this.find(char, at + 1, at, 'a text in the document type');
      else if (char === '[') subset = true;
      else if (char === ']') subset = false;
      else if (char === '>' && !subset) {
        this.#checkCharacters(at);
        return at;
      } else if (text.startsWith('<!--', at)) at = this.find('-->', at + 4, at, 'a comment') + 2;
      else if (text.startsWith('<?', at)) at = this.find('?>', at + 2, at, 'a processing instruction') + 1;
    }
    throw this.error('the document type is never closed', from);
  }

  /** Returns a text with its references resolved. */
  resolved(value: string, at: number): string {
    let text = '';
    let from = 0;
    // Most references are predefined entities, which need no pattern.
    for (let start = value.indexOf('&'); start >= 0; start = value.indexOf('&', from)) {
      const end = value.indexOf(';', start);
      const char = end < 0 ? undefined : PREDEFINED[value.slice(start + 1, end)];
      if (char === undefined) return text + this.#resolvedByPattern(value.slice(from), at);
      text += value.slice(from, start) + char;
      from = end + 1;
    }
    return from === 0 ? value : text + value.slice(from);
  }

  #resolvedByPattern(value: string, at: number): string {
    return value.replace(REFERENCE, (reference: string, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) {
        const text = this.entities[name];
        if (text === undefined) throw this.error(`the entity ${reference} is not declared`, at);
        return text;
      }
      if (reference === '&') throw this.error('a "&" must be written as &amp;', at);
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      const char = code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : '';
      if (char === '' || (char !== '\r' && ILLEGAL.test(char))) throw this.error(`${reference} is not a character`, at);
      return char;
    });
  }

  #attribute(at: number, attributes: XmlAttribute[]): number {
    const text = this.#text;
    const name = this.name(at, 'the name of an attribute');
    const equals = this.skipSpace(this.nameEnd);
    if (text[equals] !== '=') throw this.error(`the attribute ${this.#names.list[name]} has no value`, at);
    const open = this.skipSpace(equals + 1);
    const quote = text[open];
    if (quote !== '"' && quote !== "'")
      throw this.error(`the value of the attribute ${this.#names.list[name]} is not in quotes`, at);
    for (const other of attributes)
      if (other.name === name) throw this.error(`the attribute ${this.#names.list[name]} is given twice`, at);
    const [from, to] = [open + 1, this.#valueEnd(open)];
    attributes.push({ name, from, to, value: this.#isPlainValue ? undefined : this.#value(from, to) });
    return to + 1;
  }

  /** Returns the offset of the quote that ends the value that begins with this quote. */
  #valueEnd(open: number): number {
    const from = open + 1;
    const end = this.#text.indexOf(this.#text[open] as string, from);
    const stop = end < 0 ? this.#text.length : end;
    const less = this.#less.from(from);
    this.#checkCharacters(Math.min(less, stop));
    if (less < stop) throw this.error('"<" is not allowed in the value of an attribute', less);
    if (end < 0) throw this.error('the value of an attribute is never closed', open);
    this.#isPlainValue =
      this.#ampersand.from(from) >= end && this.#tab.from(from) >= end && this.#lineEnd.from(from) >= end;
    return end;
  }

  #value(from: number, to: number): string {
    return this.resolved(this.#text.slice(from, to).replace(/[\t\n]/g, ' '), from - 1);
  }

  /** Returns the offset of the next character that is no white space. */
  skipSpace(at: number): number {
    const text = this.#text;
    let end = at;
    for (;;) {
      const code = text.charCodeAt(end);
      if (code !== 32 && code !== 10 && code !== 9) return end;
      end++;
    }
  }
}
