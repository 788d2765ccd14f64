// Compares the date patterns of this package with js-joda. Needs @js-joda/core, @js-joda/timezone and @js-joda/locale.
import { readFileSync } from 'node:fs';
import { compileDateFormat, compileDatePattern, readInstant, resolveZone } from '@headrace/languages/java/date';
import { agreement, compare, library } from './library.mjs';

const started = performance.now();
const { DateTimeFormatter, Instant, LocalDateTime, LocalTime, TemporalQueries, ZonedDateTime, ZoneId } =
  library('@js-joda/core');
library('@js-joda/timezone');
const { Locale } = library('@js-joda/locale');
for (const locale of ['en-us', 'de-de', 'fr-fr', 'en-gb', 'ja-jp']) {
  library(`@js-joda/locale/dist/prebuilt/${locale}/index.js`);
}
console.log(`loading js-joda takes ${Math.round(performance.now() - started)} ms`);

function formatter(pattern, locale = 'en-US') {
  return DateTimeFormatter.ofPattern(pattern).withLocale(new Locale(...locale.split('-')));
}

/**
 * Reads a date as ParseDate does: only the beginning of the text must match, and a date without a time means midnight.
 */
function read(format, text, zone) {
  let accessor;
  for (let rest = text; accessor === undefined; ) {
    try {
      accessor = format.parse(rest);
    } catch (error) {
      const end = error.errorIndex?.();
      if (!/unparsed text/.test(error.message) || !(end > 0)) return null;
      rest = rest.slice(0, end);
    }
  }
  const date = accessor.query(TemporalQueries.localDate());
  if (date === null) return '!';
  const time = accessor.query(TemporalQueries.localTime()) ?? LocalTime.MIDNIGHT;
  const place = accessor.query(TemporalQueries.zone()) ?? zone;
  return LocalDateTime.of(date, time).atZone(place).toInstant().toString();
}

const write = (format, text, zone) => ZonedDateTime.ofInstant(Instant.parse(text), zone).format(format);

function recorded(file) {
  const url = new URL(`../../packages/languages/src/java/date/${file}.generated.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')).flatMap(({ cases = [], ...one }) =>
    cases.map(([text, expected]) => ({ ...one, text, expected })),
  );
}

agreement('reading as Java 25', recorded('java-cases'), ({ pattern, locale, zone = 'UTC', text, expected }) => {
  return read(formatter(pattern, locale), text, ZoneId.of(zone)) === expected;
});
agreement('writing as Java 17', recorded('java-formatted'), ({ pattern, zone, text, expected }) => {
  try {
    return write(formatter(pattern), text, ZoneId.of(zone)) === expected;
  } catch {
    return expected === null;
  }
});

const zone = 'America/New_York';
const [ourZone, theirZone] = [resolveZone(zone), ZoneId.of(zone)];
for (const [pattern, text] of [
  ["yyyy-MM-dd'T'HH:mm:ssXXX", '2021-02-03T10:20:30+01:00'],
  ['EEE, d MMM yyyy HH:mm:ss', 'Wed, 3 Feb 2021 10:20:30'],
  ['yyyy-MM-dd', '2021-02-03'],
]) {
  const [ours, theirs] = [compileDatePattern(pattern), formatter(pattern)];
  await compare(
    `read ${pattern}`,
    'dates/s',
    () => ours.parse(text, ourZone),
    () => read(theirs, text, theirZone),
  );
}
for (const pattern of ['EEE, d MMM yyyy HH:mm:ss XXX', 'yyyy-MM-dd']) {
  const [ours, theirs] = [compileDateFormat(pattern), formatter(pattern)];
  const text = '2021-02-03T10:20:30Z';
  await compare(
    `write ${pattern}`,
    'dates/s',
    () => ours.format(readInstant(text), ourZone),
    () => write(theirs, text, theirZone),
  );
}
