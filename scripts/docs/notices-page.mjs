// Writes the table of the notices into the page of the notices.
import { NOTICE_CLASSES, NOTICES } from '@headrace/engine';
import { code, prose, table } from './markdown.mjs';

const BEGIN = '<!-- Written by `npm run docs` from the table of notices. Changes belong there. -->';
const END = '<!-- End of the written table. -->';

/** @param page the text of the page */
export function noticesPage(page) {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`docs/notices.md needs the lines ${BEGIN} and ${END}`);
  const rows = NOTICE_CLASSES.flatMap((itsClass) =>
    Object.entries(NOTICES)
      .filter(([, notice]) => notice.class === itsClass)
      .map(([name, { meaning }]) => [code(name), code(itsClass), prose(meaning)]),
  );
  const written = table(['Code', 'Class', 'Meaning'], rows);
  return `${before}${BEGIN}\n\n${written}\n\n${END}${after}`;
}
