import { type DateFields, Field } from './date-fields.ts';
import { fixedZone, MAX_OFFSET_SECONDS, matchRegion, UTC } from './date-zone.ts';
import { type Element, Kind, Sign } from './pattern-element.ts';
import { matchLongZoneName, matchShortZoneName } from './zone-names.ts';

const ZERO = 48;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const SPACE = 32;
/** A letter of an alphabet that puts blanks between words. */
const CASED = /\p{Lu}|\p{Ll}/u;

/** Reads `text` from `position` into `fields`. Returns the end of the match, or -1 if the text does not match. */
export function matchElements(
  elements: readonly Element[],
  text: string,
  position: number,
  fields: DateFields,
): number {
  let at = position;
  for (const element of elements) {
    at = matchElement(element, text, at, fields);
    if (at < 0) return -1;
  }
  return at;
}

function matchElement(element: Element, text: string, at: number, fields: DateFields): number {
  switch (element.kind) {
    case Kind.twoDigits:
      if (element.reserved === 0) {
        const tens = text.charCodeAt(at) - ZERO;
        const ones = text.charCodeAt(at + 1) - ZERO;
        // This form of the condition also fails for NaN at the end of a text.
        if (!(tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) return -1;
        return fields.put(element.field, tens * 10 + ones) ? at + 2 : -1;
      }
      return matchNumber(element, text, at, fields);
    case Kind.number:
    case Kind.reducedYear:
      return matchNumber(element, text, at, fields);
    case Kind.fraction:
      return matchFraction(element, text, at, fields);
    case Kind.literal:
      return text.startsWith(element.text, at) ? at + element.text.length : -1;
    case Kind.name:
      if (element.text !== '') return matchLenientName(element, text, at, fields);
      for (const { name, value } of element.names) {
        if (text.startsWith(name, at)) return fields.put(element.field, value) ? at + name.length : -1;
      }
      return -1;
    case Kind.offset:
      return matchOffset(element, text, at, fields);
    case Kind.localizedOffset:
      return matchLocalizedOffset(element, text, at, fields);
    case Kind.zoneId:
    case Kind.zoneName:
      return matchZone(element, text, at, fields);
    case Kind.optional:
      return matchOptional(element, text, at, fields);
    case Kind.padded:
      return matchPadded(element, text, at, fields);
  }
}

/** Reads a name of which the letter case does not matter. It does not end within a word. */
function matchLenientName(element: Element, text: string, at: number, fields: DateFields): number {
  for (const { name, value } of element.names) {
    const end = at + name.length;
    if (text.slice(at, end).toLocaleLowerCase(element.text) !== name) continue;
    if (!name.endsWith('.') && CASED.test(text.charAt(end))) continue;
    return fields.put(element.field, value) ? end : -1;
  }
  return -1;
}

function matchOptional(element: Element, text: string, at: number, fields: DateFields): number {
  // A field never changes after it is set. To undo an optional part, it is enough to restore the set of fields.
  const { present, zone, later } = fields;
  const end = matchElements(element.inner, text, at, fields);
  if (end >= 0) return end;
  fields.present = present;
  fields.zone = zone;
  fields.later = later;
  return at;
}

function matchPadded(element: Element, text: string, at: number, fields: DateFields): number {
  const end = at + element.min;
  if (end > text.length) return -1;
  let start = at;
  while (start < end && text.charCodeAt(start) === SPACE) start++;
  return matchElements(element.inner, text.slice(0, end), start, fields) === end ? end : -1;
}

/** Returns the end of the digits that begin at `at`, at most `max` of them. */
function digitsEnd(text: string, at: number, max: number): number {
  const limit = Math.min(at + max, text.length);
  let end = at;
  while (end < limit) {
    const code = text.charCodeAt(end) - ZERO;
    if (code < 0 || code > 9) break;
    end++;
  }
  return end;
}

function digitsValue(text: string, at: number, end: number): number {
  let value = 0;
  for (let i = at; i < end; i++) value = value * 10 + text.charCodeAt(i) - ZERO;
  return value;
}

function matchNumber(element: Element, text: string, at: number, fields: DateFields): number {
  const { min, max, reserved } = element;
  const first = text.charCodeAt(at);
  let start = at;
  if (first === PLUS) {
    if (element.sign !== Sign.plusBeyondWidth) return -1;
    start++;
  } else if (first === MINUS) {
    if (element.sign === Sign.none) return -1;
    start++;
  }
  let end = digitsEnd(text, start, max + reserved);
  if (end - start < min) return -1;
  if (reserved > 0) end = start + Math.max(min, end - start - reserved);
  const length = end - start;
  let value = digitsValue(text, start, end);
  if (first === MINUS) {
    if (value === 0) return -1;
    value = -value;
  } else if (element.sign === Sign.plusBeyondWidth && length > min !== (first === PLUS)) {
    return -1;
  }
  if (element.kind === Kind.reducedYear && length === 2) value += 2000;
  return fields.put(element.field, value) ? end : -1;
}

function matchFraction(element: Element, text: string, at: number, fields: DateFields): number {
  const end = digitsEnd(text, at, element.max);
  if (end - at < element.min) return -1;
  const value = digitsValue(text, at, end) * 10 ** (9 - (end - at));
  return fields.put(element.field, value) ? end : -1;
}

/** Returns the value of two digits at `at`, at most 59, or -1. */
function sixtieth(text: string, at: number): number {
  if (digitsEnd(text, at, 2) !== at + 2) return -1;
  const value = digitsValue(text, at, at + 2);
  return value <= 59 ? value : -1;
}

function matchOffset(element: Element, text: string, at: number, fields: DateFields): number {
  if (at < text.length && text.startsWith(element.text, at)) {
    return fields.put(Field.offset, 0) ? at + element.text.length : -1;
  }
  const sign = text.charCodeAt(at);
  if (sign !== PLUS && sign !== MINUS) return -1;
  // As in Java, more than 18 hours are accepted here, although no such offset exists.
  const hours = sixtieth(text, at + 1);
  if (hours < 0) return -1;
  let end = at + 3;
  let total = hours * 3600;
  const minuteAt = colonAt(element, text, end);
  const minutes = minuteAt < 0 ? -1 : sixtieth(text, minuteAt);
  if (minutes < 0) {
    if (element.minutes) return -1;
  } else {
    total += minutes * 60;
    end = minuteAt + 2;
    const secondAt = element.seconds ? colonAt(element, text, end) : -1;
    const seconds = secondAt < 0 ? -1 : sixtieth(text, secondAt);
    if (seconds >= 0) {
      total += seconds;
      end = secondAt + 2;
    }
  }
  return fields.put(Field.offset, sign === MINUS ? -total : total) ? end : -1;
}

/** Returns the position of the digits after an optional colon, or -1 if a required colon is missing. */
function colonAt(element: Element, text: string, at: number): number {
  if (!element.colon) return at;
  return text.charCodeAt(at) === COLON ? at + 1 : -1;
}

const LONG_LOCALIZED_OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/y;
const SHORT_LOCALIZED_OFFSET = /GMT(?:([+-])(\d\d?)(?::(\d\d)(?::(\d\d))?)?)?/y;

function matchLocalizedOffset(element: Element, text: string, at: number, fields: DateFields): number {
  const regex = element.long ? LONG_LOCALIZED_OFFSET : SHORT_LOCALIZED_OFFSET;
  regex.lastIndex = at;
  const match = regex.exec(text);
  if (match === null) return -1;
  const end = at + match[0].length;
  const sign = match[1];
  // A sign without an offset after it is an error, not the next text.
  if (sign === undefined && (text.charCodeAt(end) === PLUS || text.charCodeAt(end) === MINUS)) return -1;
  const total = Number(match[2] ?? 0) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  return fields.put(Field.offset, sign === '-' ? -total : total) ? end : -1;
}

// Java reads only the long form and silently drops any other: its `GMT+3` is GMT.
const PREFIXED_OFFSET = /(?:UTC|GMT|UT)(?:(?<sign>[+-])(?<h>\d\d?)(?:(?<m>\d\d)|:(?<cm>\d\d)(?::(?<cs>\d\d))?)?)?/y;
const BARE_OFFSET = /(?<sign>[+-])(?<h>\d\d):(?<cm>\d\d)(?::(?<cs>\d\d))?/y;

function matchZone(element: Element, text: string, at: number, fields: DateFields): number {
  const first = text.charCodeAt(at);
  if (first === PLUS || first === MINUS) return matchZoneOffset(BARE_OFFSET, text, at, fields);
  if (text.startsWith('UT', at) || text.startsWith('GMT', at)) {
    if (!text.startsWith('GMT0', at)) return matchZoneOffset(PREFIXED_OFFSET, text, at, fields);
    fields.zone = UTC;
    return at + 4;
  }
  const region = matchRegion(text, at);
  const name =
    element.kind === Kind.zoneId ? undefined : (element.long ? matchLongZoneName : matchShortZoneName)(text, at);
  if (name !== undefined && (region === undefined || name.end > region.end)) {
    fields.zone = name.zone;
    fields.later = name.later;
    return name.end;
  }
  if (region !== undefined) {
    fields.zone = region.zone;
    return region.end;
  }
  if (text.charAt(at) !== 'Z') return -1;
  fields.zone = UTC;
  return at + 1;
}

function matchZoneOffset(regex: RegExp, text: string, at: number, fields: DateFields): number {
  regex.lastIndex = at;
  const match = regex.exec(text);
  if (match === null) return -1;
  const [id] = match;
  const { sign, h, m, cm, cs } = match.groups as Record<string, string | undefined>;
  const [minutes, seconds] = [Number(cm ?? m ?? 0), Number(cs ?? 0)];
  const total = Number(h ?? 0) * 3600 + minutes * 60 + seconds;
  if (minutes > 59 || seconds > 59 || total > MAX_OFFSET_SECONDS) return -1;
  fields.zone = fixedZone(id, sign === '-' ? -total : total);
  return at + id.length;
}
