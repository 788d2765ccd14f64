// Small functions for the programs by hand, as any developer would write them.

export function asList(value) {
  return Array.isArray(value) ? value : [value];
}

export function firstOf(value) {
  return Array.isArray(value) ? value[0] : value;
}

export function lengthOf(value) {
  return Array.isArray(value) ? value.length : 1;
}

export function isEmpty(value) {
  return Array.isArray(value) ? value.every((one) => one === '') : value === '';
}

/** Splits a text as Java does, without empty pieces at the end. */
export function splitAt(text, delimiter) {
  const pieces = text.split(delimiter);
  if (pieces.length === 1) return pieces;
  while (pieces.length > 0 && pieces[pieces.length - 1] === '') pieces.pop();
  return pieces;
}

/** Returns the characters of a text. An empty text results in one empty text. */
export function charactersOf(text) {
  return text === '' ? [''] : text.split('');
}

/** Does the same as `charactersOf`, for texts with characters of two units. */
export function wholeCharactersOf(text) {
  return text === '' ? [''] : Array.from(text);
}

/** Returns all matches, none of them empty: one match as a text, several as a list. `exec` is faster than `matchAll`. */
export function findAll(texts, pattern, group) {
  let found;
  for (const text of texts) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (found === undefined) found = [match[group]];
      else found.push(match[group]);
    }
  }
  return found?.length === 1 ? found[0] : found;
}

export function keptOf(values, dropped) {
  const kept = values.filter((value) => !dropped.has(value));
  return kept.length === 0 ? undefined : kept;
}

export function hashOf(text) {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (31 * hash + text.charCodeAt(i)) | 0;
  return hash;
}

export function titleCase(text) {
  return text.toLowerCase().replace(/(?<=^|\s)\S/gu, upper);
}

export function sentenceCase(text) {
  return text.toLowerCase().replace(/(?:^|(?<=[.?!] ))\S/gu, upper);
}

/** Returns the capital of a character. ß stays, because its capital has two letters. */
function upper(character) {
  const changed = character.toUpperCase();
  return changed.length === character.length ? changed : character;
}

export function withoutMarks(text) {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}/gu, '') : text;
}

/** Cuts a text without leaving half of a character at the end. */
export function truncated(text, size) {
  if (text.length <= size) return text;
  const end = (text.charCodeAt(size - 1) & 0xfc00) === 0xd800 ? size - 1 : size;
  return text.slice(0, end);
}

/** Cuts a text after a word. Returns a text without a delimiter cut at the maximum length. */
export function teaserOf(text, maxLength) {
  if (text.length <= maxLength) return text.trim();
  for (let end = maxLength - 1; end > 0; end--) if (' !,.?'.includes(text[end])) return text.slice(0, end).trim();
  return text.slice(0, maxLength);
}

export function firstLetter(text, otherwise) {
  if (text.trim() === '') return undefined;
  return /^\p{L}/u.exec(text)?.[0] ?? otherwise;
}

export function countWords(text) {
  return text.split(/\s+/).filter(Boolean).length;
}

/** Returns a cell of the CSV output for a text. */
export function cell(text) {
  return text.indexOf('"') < 0 ? `"${text}"` : `"${text.replaceAll('"', '""')}"`;
}

/** Returns a cell of the CSV output for a value of any kind. */
export function anyCell(value) {
  if (value === undefined) return '';
  return cell(Array.isArray(value) ? `[${value.join(', ')}]` : String(value));
}

/** The start of the cell after the last one that `readCell` read. */
export let next = 0;

/** Reads the cell of a CSV file that begins at a position. */
export function readCell(text, at, separator) {
  if (text.charCodeAt(at) !== 34) {
    const end = text.indexOf(separator, at);
    next = end + 1;
    return text.slice(at, end);
  }
  let close = text.indexOf('"', at + 1);
  if (text.charCodeAt(close + 1) !== 34) {
    next = close + 2;
    return text.slice(at + 1, close);
  }
  while (text.charCodeAt(close + 1) === 34) close = text.indexOf('"', close + 2);
  next = close + 2;
  return text.slice(at + 1, close).replaceAll('""', '"');
}

/** Returns the text of an element that occurs once and contains no elements. */
export function elementText(xml, start, end) {
  const at = xml.indexOf(start);
  return at < 0 ? undefined : unescaped(xml.slice(at + start.length, xml.indexOf(end, at)));
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns a text of XML without its predefined entities. */
export function unescaped(text) {
  return text.includes('&') ? text.replace(/&(\w+);/g, (_, name) => ENTITIES[name]) : text;
}
