// Writes the reference of the components: one page for each kind and one for the plugins, and one for each component.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { commonParameters, indexerSettings, ownFields, plainType, readCatalog, specFields } from '@headrace/engine';
import { render } from '@headrace/hocon';
import { root } from '../lib/root.mjs';
import { runnableExample } from '../lib/runnable-example.mjs';
import { block, code, prose, table } from './markdown.mjs';
import { plugins } from './plugins.mjs';
import { STAGE_GROUPS } from './stage-groups.mjs';

const NOTICE = '<!-- Written by `npm run docs` from the components themselves. Changes belong there. -->';

const INTRODUCTIONS = {
  connector:
    'A connector reads a source and publishes its documents. The list `connectors` of a config has the connectors of a run. They run in order.',
  stage:
    'A stage changes documents. The list `stages` of a pipeline has its stages. Every document passes through them in order. Entries of a map are applied in the order of the config. Put a key with a dot in quotes, otherwise it makes nested objects.',
  indexer:
    'An indexer writes documents to their destination. A config has one. The block `indexer` selects it, by `type` or by `class`, and says how to send. A second block has the parameters of the chosen indexer.',
};

/** Returns the pages by path below docs/. */
export function componentPages() {
  const entries = readCatalog(catalogUrl);
  const pages = ['connector', 'stage', 'indexer'].flatMap((kind) => {
    const ofKind = entries.filter((entry) => entry.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
    return [
      [`components/${kind}s.md`, kindPage(kind, ofKind)],
      ...ofKind.map((entry) => [`components/${pathOf(entry)}`, componentPage(entry)]),
    ];
  });
  return Object.fromEntries([
    ...pages,
    ['components/plugins.md', pluginsPage()],
    ...plugins.flatMap((plugin) =>
      plugin.entries.map((entry) => [`components/plugins/${plugin.pathOf(entry)}`, pluginComponentPage(plugin, entry)]),
    ),
  ]);
}

/** The source files of the components by class name, such as `stages/copy-fields`. */
const FILES = new Map(
  ['connectors', 'stages', 'indexers'].flatMap((kind) => {
    const folder = join(root, 'packages/components/src', kind);
    return readdirSync(folder).flatMap((file) =>
      Array.from(readFileSync(join(folder, file), 'utf8').matchAll(/^export class (\w+)/gm), ([, name]) => [
        name,
        `${kind}/${file.replace(/\.ts$/, '')}`,
      ]),
    );
  }),
);

/**
 * Returns the path of a component page below docs/components. It has the name of the source,
 * connectors/csv-connector.md.
 */
function pathOf({ name }) {
  return `${FILES.get(name)}.md`;
}

function kindPage(kind, entries) {
  const title = `${kind[0].toUpperCase()}${kind.slice(1)}s`;
  const shared = commonParameters[kind] ?? indexerSettings;
  const sharedHeading = kind === 'indexer' ? 'The block `indexer`' : `Keys of every ${kind}`;
  const groups = kind === 'stage' ? grouped(entries) : [[undefined, entries]];
  return document([
    `# ${title}`,
    NOTICE,
    INTRODUCTIONS[kind],
    ...groups.flatMap(([heading, members]) => [
      ...(heading === undefined ? [] : [`## ${heading}`]),
      table([title.slice(0, -1), 'What it does'], members.map(row)),
    ]),
    `## ${sharedHeading}`,
    parameterTable(specFields(shared), shared),
  ]);
}

function pluginsPage() {
  return document([
    '# Plugins',
    NOTICE,
    'Some components need large libraries, or few users need them. They are in plugins: packages that you install beside Headrace, with `-g` if Headrace was installed with `-g`. The container image has all plugins. A config needs no other setting: Headrace finds a plugin by the names of its classes, and `headrace components` lists them. `headrace validate` reports the class of a plugin that is not installed, with the command that installs it.',
    ...plugins.flatMap(({ name, folder, description, entries, handlers, pathOf }) => [
      `## ${name}`,
      `${prose(description)} [How to use it](../../plugins/${folder}/README.md).`,
      block('sh', `npm install ${name}`),
      table(
        ['Class', 'Kind', 'What it does'],
        [
          ...entries.map((entry) => [`[${entry.name}](plugins/${pathOf(entry)})`, entry.kind, summary(entry)]),
          ...handlers.map(({ name: handler, summary: about }) => [
            `[${handler}](../../plugins/${folder}/README.md)`,
            'file handler of [FileConnector](connectors/file-connector.md)',
            about,
          ]),
        ],
      ),
    ]),
  ]);
}

function pluginComponentPage({ name, folder }, entry) {
  return document([
    `# ${entry.name}`,
    NOTICE,
    `This ${entry.kind} is in the plugin [${name}](../../../plugins/${folder}/README.md): \`npm install ${name}\`.`,
    ...facts(entry),
    sharedKeys(entry),
    ...differencesSection(entry, [
      `The README of the plugin has [its differences](../../../plugins/${folder}/README.md#differences-from-lucille).`,
    ]),
    ...runnableSection(entry),
  ]);
}

/** Returns a table row with a component and the first sentence of its description. */
function row(entry) {
  return [`[${entry.name}](${pathOf(entry)})`, summary(entry)];
}

/** Returns the first sentence of a description. */
function summary({ description = '' }) {
  return prose(description.split(/(?<=\.)\s/)[0]);
}

/** Returns the stages by group. Throws if a stage is in no group, or a group has a stage that does not exist. */
function grouped(stages) {
  const names = Object.values(STAGE_GROUPS).flat();
  const wrong = [...new Set(names).symmetricDifference(new Set(stages.map(({ name }) => name)))];
  if (wrong.length > 0) throw new Error(`scripts/docs/stage-groups.mjs: add or remove ${wrong.join(', ')}`);
  return Object.entries(STAGE_GROUPS).map(([heading, members]) => [
    heading,
    members.map((name) => stages.find((entry) => entry.name === name)),
  ]);
}

function componentPage(entry) {
  return document([
    `# ${entry.name}`,
    NOTICE,
    ...facts(entry),
    sharedKeys(entry),
    ...differencesSection(entry, ownDifferences(entry)),
    ...runnableSection(entry),
  ]);
}

/** Returns the section with the differences from Lucille: those of the component, and a link to those of its kind. */
function differencesSection({ kind, aliases }, own) {
  const heading = '## Differences from Lucille';
  // The only alias of a component is its Java class.
  if (aliases.length === 0) return [heading, `Lucille has no such ${kind}.`];
  return [heading, ...own, `The [differences of all ${kind}s](../../differences.md#${kind}s) apply to it.`];
}

/** Returns the file beside the source of a component that lists its differences, such as copy-fields.differences.md. */
function ownDifferences({ name }) {
  const file = join(root, 'packages/components/src', `${FILES.get(name)}.differences.md`);
  if (!existsSync(file)) return [];
  const page = join(root, 'docs/components', `${FILES.get(name)}.md`);
  const target = (link) => relative(dirname(page), join(dirname(file), link));
  return [
    readFileSync(file, 'utf8')
      .trim()
      .replaceAll(/\]\((\.[^)]*)\)/g, (_, link) => `](${target(link)})`),
  ];
}

/** Returns the sentence about the keys of every component of a kind, with a link to their table. */
function sharedKeys({ kind }) {
  const keys = kind === 'indexer' ? 'the block `indexer`' : `the keys of every ${kind}`;
  const part = kind === 'indexer' ? 'the-block-indexer' : `keys-of-every-${kind}`;
  return `It also takes [${keys}](../${kind}s.md#${part}).`;
}

function document(parts) {
  return `${parts.join('\n\n')}\n`;
}

/** Returns the description and the parameters of a component. */
function facts(entry) {
  const own = ownFields(entry);
  const block = entry.block === undefined ? '' : ` Its parameters are in the block \`${entry.block}\`.`;
  return [
    ...(entry.description ?? '').split('\n\n').map(paragraph),
    `${names(entry)}.${block}`,
    own.length === 0 ? 'It has no parameters.' : parameterTable(own, entry.schema),
    ...(entry.examples ?? [])
      .filter(({ params }) => params !== undefined)
      .flatMap((example) => exampleOf(entry, example)),
  ];
}

/** Returns a paragraph of a description. Indented lines become a block of a config or of SQL. */
function paragraph(text) {
  if (!text.startsWith('    ')) return prose(text);
  return block(/^ *CREATE /.test(text) ? 'sql' : 'hocon', text.replace(/^ {4}/gm, ''));
}

/**
 * Returns the section with the config in examples/ that uses a connector or an indexer. The examples of a stage are
 * complete without it: parameters, documents in, documents out.
 */
function runnableSection(entry) {
  if (entry.kind === 'stage') return [];
  const { path, text } = runnableExample(entry);
  return [
    '## A config that runs',
    `[${path}](../../../${path}). Its first lines say how to start it and what it needs.`,
    block('hocon', text.trimEnd()),
  ];
}

function names({ kind, name, aliases, type }) {
  const classes = [name, ...aliases].map(code).join(' or ');
  if (kind !== 'indexer') return `Class: ${classes}`;
  return type === undefined ? `Class: ${classes}` : `Type: ${code(type)}; class: ${classes}`;
}

/** Returns the table of the parameters of a schema. */
export function parameterTable(fields, schema) {
  return table(
    ['Parameter', 'Type', 'Required', 'Default', 'Allowed', 'Description'],
    parameterRows(fields, schema, ''),
  );
}

/** Returns a row for each parameter, nested ones as `outer.inner` or `list[].inner`. Required parameters are first. */
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

/** Returns the schema of a field. The name of a nested field leads through objects. */
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

function exampleOf(entry, { description, needs, params, documents, output, random }) {
  return [
    `**Example:** ${prose(description)}`,
    ...(needs === undefined ? [] : [`Needs: ${prose(needs)}.`]),
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

/** Returns the part of a config that an example shows. */
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
