export interface XmlAttribute {
  readonly name: string;
  readonly value: string;
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
/** The attributes of a tag without attributes. */
const NO_ATTRIBUTES: readonly XmlAttribute[] = [];
const GREATER = 62;
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
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns an error with the line and column of an offset. */
  error(message: string, at: number): SyntaxError {
    const before = this.#text.slice(0, at);
    const line = before.split('\n').length;
    return new SyntaxError(`${line}:${at - before.lastIndexOf('\n')}: ${message}`);
  }

  checkCharacters(): void {
    const illegal = ILLEGAL.exec(this.#text);
    if (illegal !== null) {
      const code = illegal[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      throw this.error(`the character U+${code} is not allowed`, illegal.index);
    }
  }

  /** Returns the offset after the XML declaration, or 0 if there is none. */
  afterDeclaration(): number {
    if (!/^<\?xml[ \t\n?]/.test(this.#text)) return 0;
    DECLARATION.lastIndex = 0;
    if (!DECLARATION.test(this.#text)) throw this.error('the XML declaration is not complete', 0);
    return DECLARATION.lastIndex;
  }

  /** Returns the next position of a mark. Throws if the mark is missing. */
  find(mark: string, from: number, at: number, what: string): number {
    const found = this.#text.indexOf(mark, from);
    if (found < 0) throw this.error(`${what} is never closed`, at);
    return found;
  }

  /** Returns the offset after the name at a position. */
  nameEnd(at: number, what: string): number {
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

  startTag(at: number): { name: string; attributes: readonly XmlAttribute[]; empty: boolean; end: number } {
    const text = this.#text;
    const nameEnd = this.nameEnd(at + 1, 'the name of an element');
    const name = text.slice(at + 1, nameEnd);
    if (text.charCodeAt(nameEnd) === GREATER)
      return { name, attributes: NO_ATTRIBUTES, empty: false, end: nameEnd + 1 };
    const attributes: XmlAttribute[] = [];
    for (let i = nameEnd; ; ) {
      const next = this.#skipSpace(i);
      const char = text[next];
      if (char === '>') return { name, attributes, empty: false, end: next + 1 };
      if (char === '/' && text[next + 1] === '>') return { name, attributes, empty: true, end: next + 2 };
      if (char === undefined) throw this.error(`the tag <${name}> is never closed`, at);
      if (next === i) throw this.error('white space is missing before an attribute', next);
      i = this.#attribute(next, attributes);
    }
  }

  /** @param expected the required name */
  endTag(at: number, expected: string): { name: string; end: number } {
    const text = this.#text;
    const from = at + 2;
    const to = from + expected.length;
    if (text.charCodeAt(to) === GREATER && expected !== '' && text.startsWith(expected, from))
      return { name: expected, end: to + 1 };
    const nameEnd = this.nameEnd(from, 'the name of an element');
    const end = this.#skipSpace(nameEnd);
    if (text[end] !== '>') throw this.error('an end tag must be closed with ">"', at);
    return { name: text.slice(from, nameEnd), end: end + 1 };
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
      else if (char === '>' && !subset) return at;
      else if (text.startsWith('<!--', at)) at = this.find('-->', at + 4, at, 'a comment') + 2;
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
    const nameEnd = this.nameEnd(at, 'the name of an attribute');
    const name = text.slice(at, nameEnd);
    const equals = this.#skipSpace(nameEnd);
    if (text[equals] !== '=') throw this.error(`the attribute ${name} has no value`, at);
    const open = this.#skipSpace(equals + 1);
    const quote = text[open];
    if (quote !== '"' && quote !== "'") throw this.error(`the value of the attribute ${name} is not in quotes`, at);
    const close = this.find(quote, open + 1, open, 'the value of an attribute');
    const raw = text.slice(open + 1, close);
    if (raw.includes('<')) throw this.error('"<" is not allowed in the value of an attribute', at);
    for (const other of attributes)
      if (other.name === name) throw this.error(`the attribute ${name} is given twice`, at);
    const spaced = raw.includes('\n') || raw.includes('\t') ? raw.replace(/[\t\n]/g, ' ') : raw;
    attributes.push({ name, value: this.resolved(spaced, open) });
    return close + 1;
  }

  #skipSpace(at: number): number {
    const text = this.#text;
    let end = at;
    for (;;) {
      const code = text.charCodeAt(end);
      if (code !== 32 && code !== 10 && code !== 9) return end;
      end++;
    }
  }
}
