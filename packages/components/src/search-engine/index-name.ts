import { type Document, messageOf } from '@headrace/engine';
import { compileDateFormat, type DateFormat, instantOfMillis, readInstant } from '@headrace/languages/java/date';

/** A part of a name that comes from the document or from the clock. */
interface Placeholder {
  /** The text of the placeholder with its braces. */
  readonly text: string;
  /** The field; `now` with a pattern means the current time. */
  readonly field: string;
  readonly pattern: DateFormat | undefined;
  /** The default for a value that is missing or cannot be part of a name. */
  readonly fallback: string | undefined;
}

type Part = string | Placeholder;

/** A mistake in the name of an index. */
export interface IndexNameProblem {
  readonly message: string;
  readonly hint: string;
  readonly severity?: 'warning';
}

const NOW = 'now';
const MAX_NAME_BYTES = 255;
const BAD_CHARACTERS = /[\s\\/*?"<>|,#:\p{Cc}\p{Cs}]/u;
/** Matches milliseconds since 1973: a shorter number is more likely a year, a day such as 20240506, or seconds. */
const MILLISECONDS = /^\d{12,15}$/;
const BAD_START = /^[-_+]|^\.\.?$/;
/** Documents must not select a system index. A config can: `index: ".{name}"`. */
const SYSTEM_INDEX = 'it begins with a dot, like the system indices of the search engine';
const RULES =
  'Index names are in lower case, without spaces, \\ / * ? " < > | , # and :, do not begin with -, _ or +, and have at most 255 bytes.';

/** Returns whether a name is valid for an index. The server computes a name in angle brackets. */
export function isNameOfIndex(name: string): boolean {
  return isComputed(name) || whyNotName(name) === undefined;
}

/** Reports mistakes in `index`: in its placeholders, and in the fixed parts of the name. */
export function checkIndexName(text: string): IndexNameProblem[] {
  if (isComputed(text)) return [];
  const problems: IndexNameProblem[] = [];
  const parts = parseIndexName(text, problems);
  const wrong = (why: string, severity?: 'warning') =>
    problems.push({
      message: `${quoted(text)} is not a valid index name: ${why}`,
      hint: RULES,
      ...(severity === undefined ? {} : { severity }),
    });
  if (parts.every((part) => typeof part === 'string')) {
    const name = parts.join('');
    const why = problems.length > 0 ? undefined : whyNotName(name.toLowerCase());
    if (why !== undefined) wrong(why);
    else if (name !== name.toLowerCase()) wrong('it is not in lower case, only an alias may have it', 'warning');
    return problems;
  }
  const first = parts[0];
  if (typeof first === 'string' && BAD_START.test(`${first}x`)) wrong(`it begins with ${first[0]}`);
  for (const part of parts) {
    if (typeof part === 'string') {
      const why = whyNotPart(part);
      if (why !== undefined) wrong(why);
      continue;
    }
    if (part.pattern !== undefined) problems.push(...checkSample(part, part.pattern));
    const why = part.fallback === undefined ? undefined : whyNotPart(part.fallback);
    if (why !== undefined)
      problems.push({ message: `The default in ${part.text} is not permitted: ${why}`, hint: RULES });
  }
  return problems;
}

/**
 * Returns the name for every document, or a function that returns the name for a document. The text must have passed
 * `checkIndexName`.
 */
export function compileIndexName(text: string): string | ((document: Document) => string) {
  if (isComputed(text)) return text;
  const parts = parseIndexName(text, []);
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  return (document) => {
    let name = '';
    for (const part of parts) name += typeof part === 'string' ? part : placeholderText(part, document);
    const why = typeof parts[0] !== 'string' && name.startsWith('.') ? SYSTEM_INDEX : whyNotName(name);
    if (why !== undefined)
      throw new Error(`The document would go to the index ${quoted(name)}, whose name is invalid: ${why}`);
    return name;
  };
}

/** Returns whether the name depends on the documents. */
export function isIndexTemplate(text: string): boolean {
  return typeof compileIndexName(text) !== 'string';
}

/** Returns whether neither documents nor the server compute the name. */
export function isFixedName(text: string): boolean {
  return !isComputed(text) && !isIndexTemplate(text);
}

/** Returns whether a name is date math of the server: `<logs-{now/d}>`. */
function isComputed(text: string): boolean {
  return /^<.*>$/.test(text);
}

function parseIndexName(text: string, problems: IndexNameProblem[]): Part[] {
  const parts: Part[] = [];
  let from = 0;
  const literal = (to: number) => {
    if (to > from) parts.push(text.slice(from, to));
  };
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '}') {
      problems.push({
        message: `The brace } at position ${at + 1} of index ${quoted(text)} has no opening brace`,
        hint: 'Write placeholders as {field}, {field:yyyy.MM.dd} or {field|default}.',
      });
    }
    if (text[at] !== '{') continue;
    const end = text.indexOf('}', at);
    if (end < 0) {
      problems.push({
        message: `The brace { at position ${at + 1} of index ${quoted(text)} is not closed`,
        hint: 'Write placeholders as {field}, {field:yyyy.MM.dd} or {field|default}.',
      });
      break;
    }
    const inside = text.slice(at + 1, end);
    const foreign = text[at - 1] === '%' ? logstash(inside) : undefined;
    if (foreign !== undefined) {
      problems.push({
        message: `%{${inside}} at position ${at} of index ${quoted(text)} is the syntax of Logstash`,
        hint: `Write ${foreign}.`,
      });
    } else {
      literal(at);
      const part = parsePlaceholder(inside, at, text, problems);
      if (part !== undefined) parts.push(part);
    }
    at = end;
    from = end + 1;
  }
  literal(text.length);
  return parts;
}

/** Converts a placeholder of Logstash, `%{…}`, to our syntax. */
function logstash(inside: string): string {
  if (inside.startsWith('+')) return `{@timestamp:${inside.slice(1)}}, where @timestamp is the field with the date`;
  return `{${inside.replace(/^\[([^\][]*)\]$/, '$1')}}`;
}

function parsePlaceholder(
  inside: string,
  at: number,
  text: string,
  problems: IndexNameProblem[],
): Placeholder | undefined {
  const bar = inside.indexOf('|');
  const fallback = bar < 0 ? undefined : inside.slice(bar + 1);
  const value = bar < 0 ? inside : inside.slice(0, bar);
  const colon = value.indexOf(':');
  const field = colon < 0 ? value : value.slice(0, colon);
  const where = `{${inside}} at position ${at + 1} of index ${quoted(text)}`;
  if (field === '') {
    problems.push({
      message: `${where} names no field`,
      hint: 'Write the name of a field of the documents: {category}.',
    });
    return undefined;
  }
  if (fallback === '') {
    problems.push({ message: `${where} has an empty default`, hint: 'Write a name after |, or remove it.' });
  }
  if (colon < 0) return { text: `{${inside}}`, field, pattern: undefined, fallback };
  try {
    return { text: `{${inside}}`, field, pattern: compileDateFormat(value.slice(colon + 1)), fallback };
  } catch (error) {
    problems.push({
      message: `${where} has an invalid date pattern: ${messageOf(error)}`,
      hint: 'Write a Java date pattern, such as yyyy.MM.dd.',
    });
    return undefined;
  }
}

/** Reports patterns that never produce a valid index name, such as patterns with month names or slashes. */
function checkSample({ text }: Placeholder, pattern: DateFormat): IndexNameProblem[] {
  const sample = nameOfDate(pattern, '2024-05-06T07:08:09Z') as string;
  const why = whyNotPart(sample);
  if (sample === '') return [{ message: `${text} has an empty date pattern`, hint: 'Write one, such as yyyy.MM.dd.' }];
  if (why === undefined) return [];
  return [{ message: `${text} produces parts such as ${quoted(sample)}, which are invalid: ${why}`, hint: RULES }];
}

function placeholderText({ text, field, pattern, fallback }: Placeholder, document: Document): string {
  let why: string | undefined;
  if (pattern !== undefined && field === NOW) return nameOfNow(pattern);
  const value = document.text(field) ?? '';
  const part = pattern === undefined ? value : nameOfDate(pattern, value);
  if (value === '') why = `the field ${field} is missing or empty`;
  else if (part === undefined)
    why = `the field ${field} contains ${quoted(value)}, which is neither a date in ISO form nor milliseconds since 1970`;
  else why = whyNotPart(part);
  if (why === undefined) return part as string;
  if (fallback !== undefined) return fallback;
  throw new Error(`${text} in index has no value: ${why}`);
}

function nameOfDate(pattern: DateFormat, text: string): string | undefined {
  const instant = MILLISECONDS.test(text) ? instantOfMillis(Number(text)) : readInstant(text);
  return instant === undefined ? undefined : pattern.format(instant);
}

function nameOfNow(pattern: DateFormat): string {
  return nameOfDate(pattern, String(Date.now())) as string;
}

function whyNotName(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (BAD_START.test(name)) return `it begins with ${name[0]}`;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `it is longer than ${MAX_NAME_BYTES} bytes`;
  return whyNotPart(name);
}

function whyNotPart(part: string): string | undefined {
  const bad = BAD_CHARACTERS.exec(part)?.[0];
  if (bad !== undefined) return `it has the character ${quoted(bad)}`;
  return part === part.toLowerCase() ? undefined : `${quoted(part)} is not in lower case`;
}

/** Quotes a text for a message, and shortens a long text. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
