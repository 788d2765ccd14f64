/** How often a schedule repeats, as the form offers it. `cron` is any other expression. */
export type Repetition =
  | { readonly kind: 'hourly'; readonly minute: number }
  | { readonly kind: 'daily' | 'weekdays'; readonly time: string }
  | { readonly kind: 'weekly'; readonly day: number; readonly time: string }
  | { readonly kind: 'monthly'; readonly date: number; readonly time: string }
  | { readonly kind: 'cron'; readonly cron: string };

export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Returns the cron expression of a repetition. Times are texts such as `03:00`. */
export function cronOf(repetition: Repetition): string {
  if (repetition.kind === 'cron') return repetition.cron.trim();
  if (repetition.kind === 'hourly') return `${repetition.minute} * * * *`;
  const [hour, minute] = repetition.time.split(':').map(Number);
  const start = `${minute} ${hour}`;
  switch (repetition.kind) {
    case 'daily':
      return `${start} * * *`;
    case 'weekdays':
      return `${start} * * 1-5`;
    case 'weekly':
      return `${start} * * ${repetition.day}`;
    case 'monthly':
      return `${start} ${repetition.date} * *`;
  }
}

/** Returns the repetition of a cron expression that the form could have written. */
export function repetitionOf(cron: string): Repetition {
  const other: Repetition = { kind: 'cron', cron };
  const [minuteText = '', hourText = '', date = '', month, day = '', ...rest] = cron.split(' ');
  const minute = wholeNumber(minuteText, 59);
  const hour = wholeNumber(hourText, 23);
  if (minute === undefined || month !== '*' || rest.length > 0) return other;
  if (hourText === '*' && date === '*' && day === '*') return { kind: 'hourly', minute };
  if (hour === undefined) return other;
  const time = `${twoDigits(hour)}:${twoDigits(minute)}`;
  const dayNumber = wholeNumber(day, 6);
  const dateNumber = wholeNumber(date, 31);
  if (date === '*') {
    if (day === '*') return { kind: 'daily', time };
    if (/^(1-5|MON-FRI)$/i.test(day)) return { kind: 'weekdays', time };
    return dayNumber === undefined ? other : { kind: 'weekly', day: dayNumber, time };
  }
  return day === '*' && dateNumber !== undefined ? { kind: 'monthly', date: dateNumber, time } : other;
}

/** Returns when a cron expression is due, in words. Returns undefined for an expression that needs more words. */
export function wordsOf(cron: string): string | undefined {
  const repetition = repetitionOf(cron);
  switch (repetition.kind) {
    case 'hourly':
      return repetition.minute === 0 ? 'Every hour' : `Every hour, ${repetition.minute} min past`;
    case 'daily':
      return `Every day at ${repetition.time}`;
    case 'weekdays':
      return `Monday to Friday at ${repetition.time}`;
    case 'weekly':
      return `Every ${DAYS[repetition.day]} at ${repetition.time}`;
    case 'monthly':
      return `Every month on day ${repetition.date} at ${repetition.time}`;
    case 'cron':
      return undefined;
  }
}

/** Returns the words for any expression. Loads the library for the unusual ones. */
export async function allWordsOf(cron: string): Promise<string> {
  const known = wordsOf(cron);
  if (known !== undefined) return known;
  const { default: cronstrue } = await import('cronstrue');
  const words = cronstrue.toString(cron, { use24HourTimeFormat: true, throwExceptionOnParseError: false });
  // The service accepts some expressions that the library does not know, such as `+MON`.
  return words.startsWith('An error occurred') ? `At the times of ${cron}` : words;
}

function wholeNumber(text: string, max: number): number | undefined {
  return /^\d{1,2}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
