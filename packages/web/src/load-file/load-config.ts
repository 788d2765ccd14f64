import { writtenKey, writtenString } from '../config/insertions.ts';
import type { FieldType } from './field-types.ts';

/** How the file is read, as the service found out. */
export interface FileSettings {
  readonly path: string;
  readonly format: 'csv' | 'json';
  /** The character between the cells of a CSV file. */
  readonly separator: string;
  readonly encoding: 'utf-8' | 'auto';
  /** Whether a backslash in a CSV file removes the meaning of the next character. */
  readonly escapes: boolean;
  /** The field with the id. Empty for a CSV file whose ids are made from the number of the row. */
  readonly idField: string;
}

/** What happens to a field of the file. */
export interface FieldChoice {
  /** The name in the file. */
  readonly name: string;
  readonly keep: boolean;
  readonly newName: string;
  readonly type: FieldType;
  /** The pattern of the dates, or of numbers such as 1.234,5. */
  readonly pattern: string;
  /** True if all known values are texts. White space around texts can be removed. */
  readonly isText: boolean;
}

export type DestinationKind = 'opensearch' | 'elasticsearch' | 'solr' | 'file';

export interface Destination {
  readonly kind: DestinationKind;
  /** The address of the search engine. */
  readonly url: string;
  /** The index, or the collection of Solr. */
  readonly index: string;
  readonly user: string;
  readonly password: string;
  /** The file to write. */
  readonly file: string;
}

export interface LoadChoices {
  readonly name: string;
  readonly file: FileSettings;
  readonly fields: readonly FieldChoice[];
  readonly trim: boolean;
  readonly destination: Destination;
}

/** Fields that a CSV file gets from the connector, by the parameter with the name: where each document comes from. */
const ORIGIN_FIELDS = { filePathField: 'source', filenameField: 'filename', lineNumberField: 'csvLineNumber' };
const TITLES: Readonly<Record<DestinationKind, string>> = {
  opensearch: 'an index of OpenSearch',
  elasticsearch: 'an index of Elasticsearch',
  solr: 'a collection of Solr',
  file: 'a file with one JSON document on each line',
};
const TYPES = { opensearch: 'OpenSearch', elasticsearch: 'Elasticsearch', solr: 'Solr', file: 'JSONLines' } as const;

/** Returns the config for the choices of the form, with comments that explain its parts. */
export function loadConfig(choices: LoadChoices): string {
  return `${sourceText(choices)}\n${indexerText(choices.destination)}`;
}

/** Returns a config with the same source and stages that writes nothing. */
export function previewConfig(choices: LoadChoices): string {
  return `${sourceText(choices)}\nindexer { type: Nop }\n`;
}

function sourceText({ name, file, fields, trim }: LoadChoices): string {
  const stages = stagesOf(file, fields, trim);
  return `# Reads ${file.path.replaceAll(/[\r\n]/g, ' ')}.
connectors: [
  {
    name: ${written(name === '' ? 'file' : name)}
    pipeline: main
${connectorLines(file, originFields(fields))
  .map((line) => `    ${line}\n`)
  .join('')}  }
]

# Changes each document.
pipelines: [
  {
    name: main
    stages: [
${stages.map((line) => `      ${line}\n`).join('')}    ]
  }
]
`;
}

/** Returns the names of the fields that the connector adds. A column of the file with such a name keeps its values. */
function originFields(fields: readonly FieldChoice[]): typeof ORIGIN_FIELDS {
  const taken = new Set(fields.flatMap(({ name, newName }) => [name, newName]));
  const free = (name: string): string => (taken.has(name) ? free(`${name}_of_row`) : name);
  const { filePathField, filenameField, lineNumberField } = ORIGIN_FIELDS;
  return {
    filePathField: free(filePathField),
    filenameField: free(filenameField),
    lineNumberField: free(lineNumberField),
  };
}

function connectorLines(
  { path, format, separator, encoding, escapes, idField }: FileSettings,
  origin: typeof ORIGIN_FIELDS,
): string[] {
  const encodingLine = encoding === 'auto' ? ['# The encoding is recognized from the content.', 'encoding: auto'] : [];
  if (format === 'csv') {
    return [
      'class: CSVConnector',
      `path: ${quoted(path)}`,
      ...(separator === ',' ? [] : separator === '\t' ? ['useTabs: true'] : [`separatorChar: ${quoted(separator)}`]),
      ...(escapes ? [] : ['# A backslash is an ordinary character.', 'ignoreEscapeChar: true']),
      ...encodingLine,
      ...Object.entries(origin)
        .filter(([parameter, name]) => ORIGIN_FIELDS[parameter as keyof typeof ORIGIN_FIELDS] !== name)
        .map(([parameter, name]) => `${parameter}: ${name}`),
      '# Empty cells are skipped.',
      'ignoredTerms: [""]',
      ...(idField === '' ? [] : [`idField: ${written(idField)}`]),
    ];
  }
  if (idField === 'id') return ['class: JSONConnector', `jsonPath: ${quoted(path)}`, ...encodingLine];
  const extension = extensionOf(path);
  const known = extension === 'json' || extension === 'jsonl';
  const handler = [...(known ? [] : ['class: JSONFileHandler']), `idField: ${written(idField)}`];
  return [
    'class: FileConnector',
    `paths: [${quoted(path)}]`,
    `fileHandlers { ${writtenKey(extension, { json: false })} { ${handler.join(', ')} } }`,
  ];
}

function stagesOf(file: FileSettings, fields: readonly FieldChoice[], trim: boolean): string[] {
  const kept = fields.filter(({ keep }) => keep);
  const dropped = fields.filter(({ keep, name }) => !keep && name !== 'id').map(({ name }) => name);
  const removed = [...dropped, ...(file.format === 'csv' ? Object.values(originFields(fields)) : [])];
  const renamed = kept.filter(({ name, newName }) => newName !== name && newName !== '');
  const trimmed = trim ? kept.filter(({ isText, name }) => isText && name !== 'id') : [];
  const nameOf = ({ name, newName }: FieldChoice) => (newName === '' ? name : newName);
  const dates = Map.groupBy(
    kept.filter(({ type }) => type === 'date'),
    ({ pattern }) => pattern,
  );
  return [
    ...(trimmed.length === 0 ? [] : [`{ class: TrimWhitespace, fields: ${list(trimmed.map(({ name }) => name))} }`]),
    ...(removed.length === 0 ? [] : [`{ class: DeleteFields, fields: ${list(removed)} }`]),
    ...(renamed.length === 0
      ? []
      : [
          `{ class: RenameFields, fieldMapping { ${renamed.map(({ name, newName }) => `${writtenKey(name, { json: false })}: ${written(newName)}`).join(', ')} } }`,
        ]),
    ...kept
      .filter(({ type }) => type === 'number')
      .map(
        (field) =>
          `{ class: ApplyJSONata, source: ${written(nameOf(field))}, expression: ${quoted(numberExpression(field.pattern))} }`,
      ),
    ...[...dates].map(([pattern, some]) => {
      const names = list(some.map(nameOf));
      return `{ class: ParseDate, source: ${names}, dest: ${names}, formatStrs: [${quoted(pattern)}], timeZoneId: UTC }`;
    }),
  ];
}

/** Returns the JSONata expression that turns a text into a number. */
function numberExpression(pattern: string): string {
  if (pattern === '1.234,5') return "$number($replace($replace($, '.', ''), ',', '.'))";
  return pattern === '1,234.5' ? "$number($replace($, ',', ''))" : '$number($)';
}

function indexerText({ kind, url, index, user, password, file }: Destination): string {
  const access =
    user === '' ? [] : [`userName: ${quoted(user)}`, ...(password === '' ? [] : [`password: ${quoted(password)}`])];
  const lines =
    kind === 'file'
      ? [`path: ${quoted(file)}`]
      : kind === 'solr'
        ? [`url: ${quoted(`${url.replace(/\/+$/, '')}/${index}`)}`, ...access]
        : [`url: ${quoted(url)}`, `index: ${quoted(index)}`, ...access];
  const block = kind === 'file' ? 'jsonl' : kind;
  return `# Writes to ${TITLES[kind]}. The field run_id, which names the run, is omitted.
indexer { type: ${TYPES[kind]}, blacklist: [run_id] }
${block} {
${lines.map((line) => `  ${line}\n`).join('')}}
`;
}

/** Returns the extension of a file, without its dot. */
export function extensionOf(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1] ?? '';
}

function list(names: readonly string[]): string {
  return `[${names.map(written).join(', ')}]`;
}

function written(text: string): string {
  return writtenString(text, { quotes: false });
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
