// Writes the page of the error codes.
import { ERROR_ADVICE, ERROR_CODES } from '@headrace/engine';
import { SERVICE_ERROR_CODES } from '@headrace/service';
import { code, prose, table } from './markdown.mjs';

const GROUPS = [
  ['HR_CONFIG_', 'Configs', 'Problems of a config. All of them are found together, each with its line and column.'],
  ['HR_DOCUMENT_', 'Documents', 'A document with one of these errors fails alone; the others continue.'],
  ['HR_SERVICE_', 'The start of the service', 'What keeps the service from starting, apart from mistakes in its file.'],
  ['', 'Runs', 'What can go wrong with a record, a stage, a connector, the indexer, or the run as a whole.'],
];

export function errorPage() {
  const left = new Set(Object.keys(ERROR_CODES));
  const sections = GROUPS.flatMap(([prefix, title, introduction]) => {
    const codes = [...left].filter((name) => name.startsWith(prefix));
    for (const name of codes) left.delete(name);
    const rows = codes.map((name) => [code(name), prose(ERROR_CODES[name]), prose(ERROR_ADVICE[name])]);
    return [`## ${title}`, introduction, table(['Code', 'Meaning', 'What to do'], rows)];
  });
  const requests = Object.entries(SERVICE_ERROR_CODES).map(([name, { status, meaning, advice }]) => [
    code(name),
    String(status),
    prose(meaning),
    prose(advice),
  ]);
  return `${[
    '# Error codes',
    '<!-- Written by `npm run docs` from the tables of codes. Changes belong there. -->',
    'Every problem, failure and refusal has a code for programs and a message for people. Many also have a hint, which says what to do in this case. Codes never change. Messages may change.',
    ...sections,
    '## Requests',
    'The service refuses a request with one of these codes. The message of the response says what was wrong.',
    table(['Code', 'Status', 'Meaning', 'What to do'], requests),
  ].join('\n\n')}\n`;
}
