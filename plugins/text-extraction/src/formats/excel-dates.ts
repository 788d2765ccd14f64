import type { CellObject } from '@e965/xlsx';
import type { DateStyle } from './format.ts';

/** What a workbook says about its dates. */
export interface WorkbookDates {
  readonly style: DateStyle;
  /** Whether days are counted from 1904. */
  readonly from1904: boolean;
  /** The language of the workbook, such as de-DE, if it names one. */
  readonly language: string | undefined;
}

/** The days between the starts of the two ways to count days. */
const DAYS_1904 = 1462;
/** The formats 14 and 22, which Excel shows in the language of the reader. */
const READERS_DATE = 'm/d/yy';
const READERS_DATE_TIME = /^m\/d\/yy h{1,2}:mm$/;
/** Long dates and times in the language of the reader. */
const READERS_LONG_DATE = /^\[\$-(?:[^\]]*-)?F800\]/i;
const READERS_TIME = /^\[\$-(?:[^\]]*-)?F400\]/i;
/** Hours, minutes or seconds that are counted further than a day. */
const ELAPSED = /\[(h+|m+|s+)\]/i;
const MILLISECONDS_OF_DAY = 86_400_000;
/** The day 1970-01-01. */
const UNIX_START = 25_569;

/**
 * Returns a function that writes a cell with a date or a time, and returns undefined for other cells. SheetJS fails for
 * formats with full stops, and then writes a date of the United States.
 */
export async function dateWriter({
  style,
  from1904,
  language,
}: WorkbookDates): Promise<(cell: CellObject) => string | undefined> {
  const { format, getFormatDateInfo, isDateFormat } = await import('numfmt');
  const isoDate = (day: number) => format('yyyy-mm-dd', day);
  const isoTime = (day: number) => {
    const hasFraction = Math.round(day * MILLISECONDS_OF_DAY) % 1000 !== 0;
    return format(hasFraction ? 'hh:mm:ss.000' : 'hh:mm:ss', day);
  };
  const local = (day: number, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }).format((day - UNIX_START) * MILLISECONDS_OF_DAY);
  const shortDate = (day: number) =>
    language === undefined ? isoDate(day) : local(day, { year: 'numeric', month: '2-digit', day: '2-digit' });

  const isoOf = (pattern: string, day: number) => {
    if (ELAPSED.test(pattern)) return format('[h]:mm:ss', day);
    const { year, month, day: hasDay, hours, minutes, seconds } = getFormatDateInfo(pattern);
    // In mm:ss, mm are minutes.
    if (!year && !hasDay && (hours || minutes || seconds || !month)) return isoTime(day);
    return hours || seconds || day % 1 !== 0 ? `${isoDate(day)}T${isoTime(day)}` : isoDate(day);
  };

  const shownOf = (pattern: string, day: number) => {
    if (pattern === READERS_DATE) return shortDate(day);
    if (READERS_DATE_TIME.test(pattern)) return `${shortDate(day)} ${format('hh:mm', day)}`;
    if (READERS_TIME.test(pattern)) return format('hh:mm:ss', day);
    if (READERS_LONG_DATE.test(pattern)) {
      return language === undefined ? isoDate(day) : local(day, { dateStyle: 'full' });
    }
    return format(pattern, day);
  };

  return ({ t: type, v: value, z: pattern, w: shown }) => {
    if (type !== 'n' || typeof value !== 'number' || value < 0) return undefined;
    // The first cell of a built-in format of East Asia has no format, and is shown as a date of the United States.
    const known =
      typeof pattern === 'string' ? pattern : /^\d+\/\d+\/\d\d$/.test(shown ?? '') ? READERS_DATE : undefined;
    if (known === undefined || !isDateFormat(known)) return undefined;
    const isElapsed = ELAPSED.test(known);
    const day = from1904 && !isElapsed ? value + DAYS_1904 : value;
    return style === 'iso' ? isoOf(known, day) : shownOf(known, day);
  };
}
