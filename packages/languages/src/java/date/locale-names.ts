import type { WeekRule } from './calendar.ts';

export type NameStyle = 'short' | 'long' | 'narrow';

/** A name that may occur in a text, and its field value. */
export interface NamedValue {
  readonly name: string;
  readonly value: number;
}

/** Returns the names of the months (1–12) in their form within a date, or alone (`L`). */
export function monthNames(locale: string, style: NameStyle, standalone: boolean): readonly NamedValue[] {
  return remembered(`${locale} ${style} ${standalone}`, () => {
    const format = new Intl.DateTimeFormat(locale, {
      month: style,
      calendar: 'iso8601',
      timeZone: 'UTC',
      ...(standalone ? {} : { day: 'numeric' }),
    });
    return sorted(range(12).map((n) => ({ name: part(format, Date.UTC(2001, n, 1), 'month'), value: n + 1 })));
  });
}

const known = new Map<string, readonly NamedValue[]>();
const MAX_KNOWN = 200;

/** Caches names, because they take a millisecond to create, and each config check compiles its date patterns again. */
function remembered(key: string, make: () => NamedValue[]): readonly NamedValue[] {
  let names = known.get(key);
  if (names === undefined) {
    names = make();
    if (known.size < MAX_KNOWN) known.set(key, names);
  }
  return names;
}

/** Returns the names of the days of the week, Monday being 1. */
export function weekdayNames(locale: string, style: NameStyle, standalone: boolean): NamedValue[] {
  const format = new Intl.DateTimeFormat(locale, {
    weekday: style,
    timeZone: 'UTC',
    ...(standalone ? {} : { day: 'numeric', month: 'long' }),
  });
  // 1 January 2001 was a Monday.
  return sorted(range(7).map((n) => ({ name: part(format, Date.UTC(2001, 0, n + 1), 'weekday'), value: n + 1 })));
}

/**
 * Returns all forms of the names of the months or the days of the week that people write in a language: short and long,
 * in a date and alone, with and without a full stop, and the first letters of a long name (at least three) if no other
 * name begins with them. In lower case.
 * @param stop whether a full stop may belong to a short name
 */
export function lenientNames(locale: string, names: 'month' | 'weekday', stop: boolean): readonly NamedValue[] {
  return remembered(`${locale} ${names} ${stop} lenient`, () => {
    const of = names === 'month' ? monthNames : weekdayNames;
    const long = lowerCased([...of(locale, 'long', false), ...of(locale, 'long', true)], locale);
    const values = new Map<string, number>();
    for (const { name, value } of long) {
      for (let end = 3; end < name.length; end++) {
        const start = name.slice(0, end);
        if (long.every((other) => other.value === value || !other.name.startsWith(start))) values.set(start, value);
      }
    }
    const short = lowerCased([...of(locale, 'short', false), ...of(locale, 'short', true)], locale);
    for (const { name, value } of [...short, ...long]) values.set(name.replace(/\.$/, ''), value);
    const forms = [...values].map(([name, value]) => ({ name, value }));
    return sorted(stop ? [...forms, ...forms.map(({ name, value }) => ({ name: `${name}.`, value }))] : forms);
  });
}

function lowerCased(names: readonly NamedValue[], locale: string): NamedValue[] {
  return names.map(({ name, value }) => ({ name: name.toLocaleLowerCase(locale), value }));
}

/** Returns the names of AM (0) and PM (1). */
export function amPmNames(locale: string): NamedValue[] {
  const format = new Intl.DateTimeFormat(locale, { hour: 'numeric', hourCycle: 'h12', timeZone: 'UTC' });
  return sorted(range(2).map((n) => ({ name: part(format, Date.UTC(2001, 0, 1, n * 12 + 6), 'dayPeriod'), value: n })));
}

/** Returns the era before Christ (0) and the one since (1). */
export function eraNames(locale: string, style: NameStyle): NamedValue[] {
  const format = new Intl.DateTimeFormat(locale, { era: style, calendar: 'gregory', timeZone: 'UTC' });
  return sorted(
    [-500, 2001].map((year, n) => ({ name: part(format, new Date(0).setUTCFullYear(year), 'era'), value: n })),
  );
}

/** Returns the names of the quarters. Intl has none, so every locale uses the English names of CLDR. */
export function quarterNames(style: NameStyle): NamedValue[] {
  const ordinals = ['1st', '2nd', '3rd', '4th'];
  const name = (n: number): string => {
    if (style === 'narrow') return String(n + 1);
    return style === 'short' ? `Q${n + 1}` : `${ordinals[n]} quarter`;
  };
  return range(4).map((n) => ({ name: name(n), value: n + 1 }));
}

// From CLDR: regions whose first week of a year has at least four days. Intl does not return this any more.
const FOUR_DAY_REGIONS: ReadonlySet<string> = new Set(
  (
    'AD AN AT AX BE BG CH CZ DE DK EE ES FI FJ FO FR GB GF GG GI GP GR HU IE IM IS IT JE LI LT LU MC MQ NL NO PL PT ' +
    'RE RU SE SJ SK SM VA'
  ).split(' '),
);

/** Returns the week rule of the region of a locale. */
export function weekRule(locale: string): WeekRule {
  const full = new Intl.Locale(locale).maximize() as Intl.Locale & { getWeekInfo(): { firstDay: number } };
  return { firstDay: full.getWeekInfo().firstDay, minimalDays: FOUR_DAY_REGIONS.has(full.region ?? '') ? 4 : 1 };
}

function part(format: Intl.DateTimeFormat, time: number, type: Intl.DateTimeFormatPartTypes): string {
  return format.formatToParts(time).find((found) => found.type === type)?.value ?? '';
}

function range(length: number): number[] {
  return Array.from({ length }, (_, n) => n);
}

/**
 * Sorts names, longest first, so that no name is mistaken for the beginning of another. The last of equal names is
 * first.
 */
function sorted(names: NamedValue[]): NamedValue[] {
  return names
    .filter(({ name }) => name !== '')
    .reverse()
    .sort((a, b) => b.name.length - a.name.length);
}
