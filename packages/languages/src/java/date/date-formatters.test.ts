import { describe, expect, it } from 'vitest';
import { DATE_FORMATTERS } from './date-formatters.ts';
import { resolveZone } from './date-zone.ts';

function run(name: string, text: string, zone = 'UTC'): string | undefined {
  const formatter = DATE_FORMATTERS.get(`com.kmwllc.lucille.stage.dateformatters.${name}`);
  expect(formatter).toBe(DATE_FORMATTERS.get(name));
  return formatter?.(text, resolveZone(zone));
}

describe('date formatters', () => {
  it.each([
    ['DateMonthStrFormatter', 'on February 3, 2021!', '2021-02-03T00:00:00Z'],
    ['DateMonthStrFormatter', 'February 30, 2021', '2021-02-28T00:00:00Z'],
    ['DateMonthStrFormatter', 'June 07, 21', '0021-06-07T00:00:00Z'],
    ['DateMonthStrFormatter', 'born June 7, 985.', '0985-06-07T00:00:00Z'],
    ['DateMonthStrFormatter', 'June 7, 5', '0005-06-07T00:00:00Z'],
    ['DateMonthStrFormatter', 'June 7, 0', undefined],
    ['DateMonthStrFormatter', 'Feb 3, 2021', undefined],
    ['DateMonthStrFormatter', 'february 3, 2021', undefined],
    ['DatePipeFormatter', 'on 2010|12|31!', '2010-12-31T00:00:00Z'],
    ['DatePipeFormatter', '2010|5|3', '2010-05-03T00:00:00Z'],
    ['DatePipeFormatter', '99|5|3', undefined],
    ['DatePipeFormatter', '2010|2|30', undefined],
    ['DatePipeFormatter', '2010|13|1', undefined],
    ['DateTwoYearsFormatter', '1998-1999', '1998-01-01T00:00:00Z'],
    ['DateTwoYearsFormatter', '2021-02-02', '2021-01-01T00:00:00Z'],
    ['DateTwoYearsFormatter', '12/2020', undefined],
    ['DateTwoYearsFormatter', '98-99', undefined],
    ['DateYearOnlyFormatter', '1998', '1998-01-01T00:00:00Z'],
    ['DateYearOnlyFormatter', '85', '0085-01-01T00:00:00Z'],
    ['DateYearOnlyFormatter', '5', undefined],
    ['DateYearOnlyFormatter', '1998 ', undefined],
    ['UnixTimestampFormatter', '1700000000123', '2023-11-14T22:13:20.123Z'],
    ['UnixTimestampFormatter', '-1', '1969-12-31T23:59:59.999Z'],
    ['UnixTimestampFormatter', '+0', '1970-01-01T00:00:00Z'],
    ['UnixTimestampFormatter', '9223372036854775807', '+292278994-08-17T07:12:55.807Z'],
    ['UnixTimestampFormatter', '9223372036854775808', undefined],
    ['UnixTimestampFormatter', '', undefined],
    ['UnixTimestampFormatter', '1.5', undefined],
  ])('%s reads "%s"', (name, text, instant) => {
    expect(run(name, text)).toBe(instant);
  });

  it('reads a date without a time as midnight in the zone', () => {
    expect(run('DatePipeFormatter', '2010|5|3', 'America/New_York')).toBe('2010-05-03T04:00:00Z');
    expect(run('DateYearOnlyFormatter', '1998', 'Europe/Paris')).toBe('1997-12-31T23:00:00Z');
    expect(run('DateYearOnlyFormatter', '85', 'America/New_York')).toBe('0085-01-01T04:56:02Z');
    expect(run('UnixTimestampFormatter', '0', 'Europe/Paris')).toBe('1970-01-01T00:00:00Z');
  });
});
