const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const RELATIVE = new Intl.RelativeTimeFormat('en-GB', { style: 'short' });
const DAYS_RELATIVE = 30;

/** Returns a duration in seconds as text: `0.4 s`, `12 s`, `2 m 14 s`, `3 h 5 m`, `2 d 4 h`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} m ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} m`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3_600)} h`;
}

/** Returns milliseconds as text: `0.02 ms`, `4.1 ms`, `1.2 s`. */
export function millis(value: number): string {
  if (value >= 1_000) return `${(value / 1_000).toFixed(1)} s`;
  if (value >= 10) return `${Math.round(value)} ms`;
  return `${value >= 1 ? value.toFixed(1) : value.toPrecision(1)} ms`;
}

/** Returns a time in seconds since the epoch as local date and time. */
export function dateTime(seconds: number): string {
  return DATE_TIME.format(seconds * 1000);
}

/** Returns how long ago a time was: `now`, `5 min ago`. Returns the date if it was more than 30 days ago. */
export function ago(seconds: number, nowSeconds: number): string {
  const passed = nowSeconds - seconds;
  if (passed > DAYS_RELATIVE * 86_400) return dateTime(seconds);
  for (const [unit, length] of UNITS) {
    if (Math.abs(passed) >= length) return RELATIVE.format(-Math.trunc(passed / length), unit);
  }
  return 'now';
}
