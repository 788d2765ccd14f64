// The reference of the components: a page for each kind, and one for each connector and each indexer.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { commonParameters, indexerSettings, ownFields, plainType, readCatalog, specFields } from '@headrace/engine';
import { render } from '@headrace/hocon';
import { root } from '../lib/root.mjs';
import { anchor, block, code, prose, table } from './markdown.mjs';

const NOTICE = '<!-- Written by `npm run docs` from the components themselves. Changes belong there. -->';

const INTRODUCTIONS = {
  connector:
    'A connector reads a source and publishes its documents. Connectors stand in the list `connectors` of a config and run one after the other.',
  stage:
    'A stage changes documents. Stages stand in the list `stages` of a pipeline; every document goes through them in order. Parameters that are maps are applied in the order of the config. A key with a dot in it must be in quotes, otherwise it makes nested objects.',
  indexer:
    'An indexer writes documents to their destination. A config has one: the block `indexer` selects it, by `type` or by `class`, and says how to send; its own parameters stand in a block of their own.',
};

/** The pages by path below docs/. */
export function componentPages() {
  const entries = readCatalog(catalogUrl);
  const pages = ['connector', 'stage', 'indexer'].flatMap((kind) => {
    const ofKind = entries.filter((entry) => entry.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
    return [
      [`components/${kind}s.md`, kindPage(kind, ofKind)],
      ...(hasPages(kind) ? ofKind.map((entry) => [`components/${pathOf(entry)}`, componentPage(entry)]) : []),
    ];
  });
  return Object.fromEntries(pages);
}

/** Stages are short: all of them stand on one page, where they are searched. */
function hasPages(kind) {
  return kind !== 'stage';
}

/** Where the page of a component is, from docs/components: as its module, connectors/csv-connector.md. */
function pathOf({ module }) {
  return module.split('/').slice(-2).join('/').replace(/\.js$/, '.md');
}

function kindPage(kind, entries) {
  const title = `${kind[0].toUpperCase()}${kind.slice(1)}s`;
  const shared = commonParameters[kind] ?? indexerSettings;
  const sharedHeading = kind === 'indexer' ? 'The block `indexer`' : `Keys of every ${kind}`;
  const rows = entries.map((entry) => [
    `[${entry.name}](${hasPages(kind) ? pathOf(entry) : anchor(entry.name)})`,
    prose((entry.description ?? '').split(/(?<=\.)\s/)[0]),
  ]);
  return document([
    `# ${title}`,
    NOTICE,
    INTRODUCTIONS[kind],
    table([title.slice(0, -1), 'What it does'], rows),
    `## ${sharedHeading}`,
    parameterTable(specFields(shared), shared),
    ...(hasPages(kind) ? [] : entries.flatMap((entry) => [`## ${entry.name}`, ...facts(entry)])),
  ]);
}

function componentPage(entry) {
  const shared = entry.kind === 'indexer' ? 'the block `indexer`' : `the keys of every ${entry.kind}`;
  const sharedPage = `../${entry.kind}s.md${entry.kind === 'indexer' ? '#the-block-indexer' : '#keys-of-every-connector'}`;
  return document([
    `# ${entry.name}`,
    NOTICE,
    ...facts(entry),
    `Besides, [${shared}](${sharedPage}).`,
    ...runnableExample(entry),
  ]);
}

function document(parts) {
  return `${parts.join('\n\n')}\n`;
}

/** What is known of a component. */
function facts(entry) {
  const own = ownFields(entry);
  const block = entry.block === undefined ? '' : ` Its parameters stand in the block \`${entry.block}\`.`;
  return [
    ...(entry.description ?? '').split('\n\n').map(paragraph),
    `${names(entry)}.${block}`,
    own.length === 0 ? 'It has no parameters.' : parameterTable(own, entry.schema),
    ...(entry.examples ?? []).flatMap((example) => exampleOf(entry, example)),
  ];
}

/** A paragraph of a description; what is indented is lines of a config, or of SQL. */
function paragraph(text) {
  if (!text.startsWith('    ')) return prose(text);
  return block(/^ *CREATE /.test(text) ? 'sql' : 'hocon', text.replace(/^ {4}/gm, ''));
}

/** The config in examples/ that uses a connector or an indexer, and runs as it is. */
function runnableExample({ kind, name }) {
  const folder = `examples/${kind}s`;
  const uses = new RegExp(`(class|type): "?(${name}|${name.replace(/Indexer$/, '')})\\b`, 'i');
  const texts = readdirSync(join(root, folder))
    .sort()
    .map((file) => [file, readFileSync(join(root, folder, file), 'utf8')]);
  const found = texts.find(([, text]) => uses.test(text));
  if (found === undefined) throw new Error(`${name} has no config in ${folder}: its page is to show one that runs.`);
  return [
    '## A config that runs',
    `[${folder}/${found[0]}](../../../${folder}/${found[0]}); its first lines say how it is started, and what must be there.`,
    block('hocon', found[1].trimEnd()),
  ];
}

function names({ kind, name, aliases, type }) {
  const classes = [name, ...aliases].map(code).join(' or ');
  if (kind !== 'indexer') return `Class: ${classes}`;
  return type === undefined ? `Class: ${classes}` : `Type: ${code(type)}; class: ${classes}`;
}

function parameterTable(fields, schema) {
  return table(
    ['Parameter', 'Type', 'Required', 'Default', 'Allowed', 'Description'],
    parameterRows(fields, schema, ''),
  );
}

/** A row for each parameter, those of objects below them: `outer.inner`, `list[].inner`. Required ones come first. */
function parameterRows(fields, schema, prefix) {
  const sorted = fields.toSorted((a, b) => Number(b.required) - Number(a.required));
  return sorted.flatMap((field) => {
    const property = propertyOf(schema, field.name);
    const isList = property.type === 'array';
    const nested = 'child' in field.type;
    return [
      [
        code(`${prefix}${field.name}`),
        nested && isList ? 'list of object' : plainType(field.type),
        field.required ? 'yes' : '',
        field.default === undefined ? '' : code(JSON.stringify(field.default)),
        allowed(field),
        prose(field.description ?? ''),
      ],
      ...(nested
        ? parameterRows(
            field.type.child.fields,
            isList ? property.items : property,
            `${prefix}${field.name}${isList ? '[]' : ''}.`,
          )
        : []),
    ];
  });
}

/** The schema of a field; the name of one that is listed flat leads through objects. */
function propertyOf(schema, name) {
  if (name in schema.properties) return schema.properties[name];
  const outer = Object.keys(schema.properties).find((key) => name.startsWith(`${key}.`));
  return propertyOf(schema.properties[outer], name.slice(outer.length + 1));
}

function allowed({ enum: values, minimum, maximum, exclusiveMinimum, exclusiveMaximum }) {
  return [
    ...(values === undefined ? [] : [values.map(code).join(', ')]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
  ].join(', ');
}

function exampleOf(entry, { description, params, documents, output, random }) {
  return [
    `**Example:** ${prose(description)}`,
    block('hocon', configOf(entry, params)),
    ...(documents === undefined ? [] : ['Documents in:', block('json', lines(documents))]),
    ...(output === undefined
      ? []
      : [
          random === true ? 'Documents out, with values that differ each time:' : 'Documents out:',
          block('json', lines(output)),
        ]),
  ];
}

/** The part of a config that an example shows. */
function configOf({ kind, name, type, block }, params) {
  if (kind !== 'indexer') return `{\n${indented({ class: name, ...params })}\n}`;
  return render(
    { indexer: type === undefined ? { class: name } : { type }, ...(block === undefined ? {} : { [block]: params }) },
    { format: 'hocon' },
  ).trimEnd();
}

function indented(fields) {
  return render(fields, { format: 'hocon' }).trimEnd().replace(/^/gm, '  ');
}

function lines(documents) {
  return documents.map((document) => JSON.stringify(document)).join('\n');
}
