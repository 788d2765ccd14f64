// Writes the page of the names that releases of Lucille changed.
import { RENAMED_CLASSES, RENAMED_PARAMETERS } from '@headrace/engine';
import { code, prose, table } from './markdown.mjs';

const HOW = {
  list: 'one text becomes a list',
  'local-list': 'one local path becomes a list; other addresses are refused',
  'field-mapping': 'with dest: both lists become one object',
  cloud: 'the options decide which block',
};

const RELEASES = [
  ...[
    '0.3.0',
    '0.4.0',
    '0.4.1',
    '0.5.0',
    '0.5.1',
    '0.5.2',
    '0.5.3',
    '0.5.4',
    '0.5.5',
    '0.5.6',
    '0.5.7',
    '0.5.8',
    '0.5.9',
  ],
  ...['0.5.10', '0.6.0', '0.7.0', '0.8.0', '0.9.0', '0.10.0', '0.11.0'],
];

export function releasesPage() {
  const last = new Set([...RENAMED_CLASSES, ...RENAMED_PARAMETERS].map((each) => each.last));
  const changed = RELEASES.filter((_, i) => last.has(RELEASES[i - 1]));
  const classes = RENAMED_CLASSES.map(({ from, to, last, note }) => [code(from), code(to), last, prose(note ?? '')]);
  const rows = RENAMED_PARAMETERS.map((each) => [
    code(each.component),
    code(each.from),
    each.to === undefined ? 'none' : each.conversion === 'cloud' ? prose(each.to) : code(each.to),
    each.last,
    prose(howOf(each)),
  ]);
  return `${[
    '# Names of older releases of Lucille',
    '<!-- Written by `npm run docs` from the table in packages/engine/src/config/released-names.ts. Changes belong there. -->',
    'The names of this documentation are those of Lucille 0.11.0. Configs of the releases 0.3.0 to 0.10.0 run too: each old name is read, with a warning (`HR_CONFIG_OLD_NAME`) that has its position and the current name. A config that sets the old and the current name of the same parameter is refused. `GET /v1/config-info/…-list` has the old names of each component in `olderNames`.',
    `The tables come from a comparison of the sources and the example configs of all ${RELEASES.length} releases from 0.3.0 to 0.11.0. No release removed a class that has no successor. Releases before 0.3.0 were not compared.`,
    `These releases changed names: ${changed.join(', ')}. Release 0.6.0 changed all names of stages from snake_case to camelCase. A test runs configs in the shapes that the examples of Lucille had in each range of releases, and compares their results.`,
    '## Classes',
    table(['Old name', 'Current name', 'Last release with the old name', 'What else differs'], classes),
    '## Parameters',
    table(['Component', 'Old name', 'Current name', 'Last release with the old name', 'How it is read'], rows),
  ].join('\n\n')}\n`;
}

function howOf({ conversion, why, instead }) {
  if (instead !== undefined) return `refused. ${instead}`;
  if (why !== undefined) return `without effect: ${why}`;
  return conversion === undefined ? '' : HOW[conversion];
}
