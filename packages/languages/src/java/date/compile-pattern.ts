import { Field } from './date-fields.ts';
import {
  amPmNames,
  eraNames,
  lenientNames,
  monthNames,
  type NamedValue,
  type NameStyle,
  quarterNames,
  weekdayNames,
} from './locale-names.ts';
import { type Element, element, Kind, Sign } from './pattern-element.ts';

/** An invalid pattern, and the position of the error. */
export class DatePatternError extends Error {
  override readonly name = 'DatePatternError';
  readonly pattern: string;
  /** Index into the pattern, from 0. */
  readonly position: number;

  constructor(pattern: string, position: number, problem: string) {
    super(`${problem}, at position ${position + 1} of the date pattern "${pattern}"`);
    this.pattern = pattern;
    this.position = position;
  }
}

// The limits of Java for the digits of a number and of a fraction.
const MOST_DIGITS = 19;
const MOST_FRACTION_DIGITS = 9;

// The kinds of elements that share digits with adjacent numbers.
const NUMBERS: ReadonlySet<Kind> = new Set([Kind.number, Kind.twoDigits, Kind.reducedYear, Kind.fraction]);

/**
 * How names of months and days are read: exactly as Java writes them, or in all forms that people write (`lenientNames`).
 */
export type NameForms = 'exact' | 'lenient';

/** Compiles a pattern in the language of Java's DateTimeFormatter to its elements. */
export function compileElements(pattern: string, locale: string, forms: NameForms = 'exact'): Element[] {
  return new Compiler(pattern, locale, forms).compile();
}

/** The elements between two brackets, or of the whole pattern. */
interface Section {
  readonly elements: Element[];
  /** The index of the number that directly adjacent numbers belong to, or -1. */
  adjacent: number;
}

class Compiler {
  readonly #pattern: string;
  readonly #locale: string;
  readonly #forms: NameForms;
  readonly #open: Section[] = [];
  #section: Section = { elements: [], adjacent: -1 };
  #pad = 0;
  #position = 0;

  constructor(pattern: string, locale: string, forms: NameForms) {
    this.#pattern = pattern;
    this.#locale = locale;
    this.#forms = forms;
  }

  compile(): Element[] {
    const pattern = this.#pattern;
    while (this.#position < pattern.length) {
      const char = pattern.charAt(this.#position);
      if (/[A-Za-z]/.test(char)) this.#letters(char);
      else if (char === "'") this.#quoted();
      else {
        if (char === '[') this.#openSection();
        else if (char === ']') this.#closeSection();
        else if (char === '{' || char === '}' || char === '#') throw this.#error(`The character ${char} is reserved`);
        else this.#append(element(Kind.literal, { text: char }));
        this.#position++;
      }
    }
    while (this.#open.length > 0) this.#closeSection();
    return this.#section.elements;
  }

  #error(problem: string): DatePatternError {
    return new DatePatternError(this.#pattern, this.#position, problem);
  }

  #letters(letter: string): void {
    let end = this.#position + 1;
    while (this.#pattern.charAt(end) === letter) end++;
    const count = end - this.#position;
    if (letter === 'p') {
      if (!/[A-Za-z]/.test(this.#pattern.charAt(end))) throw this.#error('The letter p must be followed by a field');
      this.#pad = count;
    } else {
      const added = this.#field(letter, count);
      if (NUMBERS.has(added.kind)) this.#appendNumber(added);
      else this.#append(added);
    }
    this.#position = end;
  }

  #quoted(): void {
    const start = this.#position;
    let end = start + 1;
    while (end < this.#pattern.length) {
      if (this.#pattern.charAt(end) === "'") {
        if (this.#pattern.charAt(end + 1) !== "'") break;
        end++;
      }
      end++;
    }
    if (end >= this.#pattern.length) throw this.#error('A quoted text is not closed');
    const text = this.#pattern.slice(start + 1, end);
    this.#append(element(Kind.literal, { text: text === '' ? "'" : text.replaceAll("''", "'") }));
    this.#position = end + 1;
  }

  #openSection(): void {
    this.#section.adjacent = -1;
    this.#open.push(this.#section);
    this.#section = { elements: [], adjacent: -1 };
  }

  #closeSection(): void {
    const outer = this.#open.pop();
    if (outer === undefined) throw this.#error('A ] without a [ before it');
    const inner = this.#section.elements;
    this.#section = outer;
    if (inner.length > 0) this.#append(element(Kind.optional, { inner }));
  }

  #append(added: Element): number {
    const { elements } = this.#section;
    elements.push(this.#pad > 0 ? element(Kind.padded, { min: this.#pad, inner: [added] }) : added);
    this.#pad = 0;
    this.#section.adjacent = -1;
    return elements.length - 1;
  }

  /**
   * Appends a number. Numbers without a separator share their digits: fixed-width numbers get their width, and the
   * first number gets the other digits. A number of variable width ends this rule.
   */
  #appendNumber(added: Element): void {
    const padded = this.#pad > 0;
    const first = this.#section.adjacent;
    const base = this.#section.elements[first];
    const index = this.#append(added);
    if (base !== undefined && added.min === added.max && added.sign === Sign.none) {
      base.reserved += added.max;
      this.#section.adjacent = first;
    } else if (!padded) {
      this.#section.adjacent = index;
    }
  }

  #number(field: Field, min: number, max: number, sign: Sign): Element {
    if (min > MOST_DIGITS) throw this.#error('Too many letters');
    const kind = min === 2 && max === 2 && sign === Sign.none ? Kind.twoDigits : Kind.number;
    return element(kind, { field, min, max, sign });
  }

  /** Returns a number element: one letter reads any number of digits, two letters exactly two. */
  #oneOrTwo(field: Field, count: number, most = 2): Element {
    this.#atMost(count, most);
    if (count === 1) return this.#number(field, 1, MOST_DIGITS, Sign.minus);
    return this.#number(field, count, count, Sign.none);
  }

  #atMost(count: number, most: number): void {
    if (count > most) throw this.#error(`More than ${most} letters ${this.#pattern.charAt(this.#position)}`);
  }

  #year(field: Field, count: number): Element {
    if (count === 2) return element(Kind.reducedYear, { field, min: 2, max: 2 });
    return this.#number(field, count, MOST_DIGITS, count < 4 ? Sign.minus : Sign.plusBeyondWidth);
  }

  #names(field: Field, names: readonly NamedValue[]): Element {
    return element(Kind.name, { field, names });
  }

  #lenientNames(field: Field, names: 'month' | 'weekday', letters: number): Element {
    // A full stop of the pattern must stay for the pattern.
    const stop = !/^'?\./.test(this.#pattern.slice(this.#position + letters));
    return element(Kind.name, { field, names: lenientNames(this.#locale, names, stop), text: this.#locale });
  }

  #field(letter: string, count: number): Element {
    switch (letter) {
      case 'G':
        this.#atMost(count, 5);
        return this.#names(Field.era, eraNames(this.#locale, count < 3 ? 'short' : styleOf(count)));
      case 'u':
        return this.#year(Field.year, count);
      case 'y':
        return this.#year(Field.yearOfEra, count);
      case 'Y':
        return this.#year(Field.weekBasedYear, count);
      case 'M':
      case 'L':
        if (count < 3) return this.#oneOrTwo(Field.month, count);
        this.#atMost(count, 5);
        if (this.#forms === 'lenient' && count < 5) return this.#lenientNames(Field.month, 'month', count);
        return this.#names(Field.month, monthNames(this.#locale, styleOf(count), letter === 'L'));
      case 'Q':
      case 'q':
        if (count < 3) return this.#oneOrTwo(Field.quarter, count);
        this.#atMost(count, 5);
        return this.#names(Field.quarter, quarterNames(styleOf(count)));
      case 'E':
      case 'c':
      case 'e':
        return this.#dayOfWeek(letter, count);
      case 'D':
        this.#atMost(count, 3);
        if (count === 1) return this.#number(Field.dayOfYear, 1, MOST_DIGITS, Sign.minus);
        return this.#number(Field.dayOfYear, count, 3, Sign.none);
      case 'w':
        this.#atMost(count, 2);
        return this.#number(Field.weekOfWeekBasedYear, count, 2, Sign.none);
      case 'W':
        this.#atMost(count, 1);
        return this.#number(Field.weekOfMonth, 1, 1, Sign.none);
      case 'F':
        return this.#oneOrTwo(Field.alignedWeekOfMonth, count, 1);
      case 'g':
        return this.#number(Field.modifiedJulianDay, count, MOST_DIGITS, Sign.minus);
      case 'd':
        return this.#oneOrTwo(Field.dayOfMonth, count);
      case 'a':
        this.#atMost(count, 1);
        return this.#names(Field.amPm, amPmNames(this.#locale));
      case 'H':
        return this.#oneOrTwo(Field.hour, count);
      case 'k':
        return this.#oneOrTwo(Field.clockHour, count);
      case 'K':
        return this.#oneOrTwo(Field.hourOfAmPm, count);
      case 'h':
        return this.#oneOrTwo(Field.clockHourOfAmPm, count);
      case 'm':
        return this.#oneOrTwo(Field.minute, count);
      case 's':
        return this.#oneOrTwo(Field.second, count);
      case 'S':
        this.#atMost(count, MOST_FRACTION_DIGITS);
        return element(Kind.fraction, { field: Field.nano, min: count, max: count });
      case 'n':
        return this.#number(Field.nano, count, MOST_DIGITS, Sign.none);
      case 'A':
        return this.#number(Field.milliOfDay, count, MOST_DIGITS, Sign.none);
      case 'N':
        return this.#number(Field.nanoOfDay, count, MOST_DIGITS, Sign.none);
      default:
        return this.#zone(letter, count);
    }
  }

  #dayOfWeek(letter: string, count: number): Element {
    this.#atMost(count, 5);
    if (letter === 'c' && count === 2) throw this.#error('The letter c must not occur exactly twice');
    if (count < 3 && letter !== 'E') return this.#number(Field.localizedDayOfWeek, count, count, Sign.none);
    if (this.#forms === 'lenient' && count < 5) return this.#lenientNames(Field.dayOfWeek, 'weekday', count);
    const style = count < 3 ? 'short' : styleOf(count);
    return this.#names(Field.dayOfWeek, weekdayNames(this.#locale, style, letter === 'c'));
  }

  #zone(letter: string, count: number): Element {
    switch (letter) {
      case 'V':
        if (count !== 2) throw this.#error('The letter V must occur twice');
        return element(Kind.zoneId, {});
      case 'z':
        this.#atMost(count, 4);
        return element(Kind.zoneName, { long: count === 4 });
      case 'v':
      case 'O':
        if (count !== 1 && count !== 4) throw this.#error(`The letter ${letter} must occur once or four times`);
        return element(letter === 'v' ? Kind.zoneName : Kind.localizedOffset, { long: count === 4 });
      case 'X':
      case 'x':
        this.#atMost(count, 5);
        return offsetElement(count, letter === 'X' ? 'Z' : zeroOffset(count));
      case 'Z':
        this.#atMost(count, 5);
        if (count === 4) return element(Kind.localizedOffset, { long: true });
        return count === 5 ? offsetElement(5, 'Z') : offsetElement(2, '+0000');
      case 'B':
        throw this.#error('Periods of the day (letter B) are not supported, use a for AM and PM');
      default:
        throw this.#error(`Unknown pattern letter ${letter} (a literal text needs quotes: '${letter}')`);
    }
  }
}

/** Returns an offset element in the form of X with this many letters. */
function offsetElement(letters: number, zero: string): Element {
  return element(Kind.offset, {
    field: Field.offset,
    text: zero,
    minutes: letters > 1,
    seconds: letters > 3,
    colon: letters === 3 || letters === 5,
  });
}

function zeroOffset(letters: number): string {
  if (letters === 1) return '+00';
  return letters % 2 === 0 ? '+0000' : '+00:00';
}

function styleOf(count: number): NameStyle {
  if (count === 5) return 'narrow';
  return count === 4 ? 'long' : 'short';
}
