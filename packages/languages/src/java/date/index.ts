export { carryDay, epochDayOf, monthLength } from './calendar.ts';
export { DatePatternError } from './compile-pattern.ts';
export { compileDateFormat, type DateFormat } from './date-format.ts';
export {
  DATE_FORMATTERS,
  type DateFormatter,
  dateMonthStrFormatter,
  unixTimestampFormatter,
} from './date-formatters.ts';
export { compileDatePattern, type DatePattern, PartialDateError } from './date-pattern.ts';
export { type DateZone, DateZoneError, resolveZone } from './date-zone.ts';
export { epochPattern } from './epoch-pattern.ts';
export { formatInstant, formatUtc } from './instant-text.ts';
export { type Instant, instantOfMillis, readInstant } from './read-instant.ts';
