import type { Notice, NoticeExample } from './notice.ts';

/** Returns a notice in one line, with its first example. */
export function noticeText({ code, class: itsClass, component, pipeline, count, examples }: Notice): string {
  const where = pipeline === undefined ? component : `${component} of ${pipeline}`;
  const first = examples[0] === undefined ? '' : `. First: ${exampleText(examples[0])}`;
  return `${code} (${itsClass}) in ${where}: ${count}${first}`;
}

/** Returns an example in one line: its place, its value, and its hint. */
export function exampleText({ document, file, line, column, field, value, hint }: NoticeExample): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const parts = [
    place,
    document === undefined ? '' : `document ${document}`,
    field === undefined ? '' : `field ${field}`,
    value === undefined ? '' : JSON.stringify(value),
  ].filter((part) => part !== '');
  return [parts.join(', '), hint].filter((part) => part !== undefined && part !== '').join(': ');
}
