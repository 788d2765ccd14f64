import type { Schemas } from '@headrace/client';

export type Schedule = Schemas['Schedule'];

/** Returns a time in seconds since the epoch as date and time in a time zone: `Fri, 1 Jan 2027, 03:00`. */
export function timeInZone(seconds: number, timezone: string): string {
  const options: Intl.DateTimeFormatOptions = {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds % 60 === 0 ? {} : { second: '2-digit' }),
  };
  return new Intl.DateTimeFormat('en-GB', options).format(seconds * 1000);
}
