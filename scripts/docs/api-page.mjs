// Writes the reference of the HTTP API from its OpenAPI document.
import { block, code, jsonText, prose, table } from './markdown.mjs';

/** The start of a reference to a schema that operations share. */
const SCHEMA_PREFIX = '#/components/schemas/';
/** The descriptions of answers without a description, and of answers without a body. */
const NO_DESCRIPTIONS = new Set(['Default Response', 'No body']);
/** The order of parameters. */
const PLACES = ['path', 'query', 'header'];

/** Returns the page of an OpenAPI document. */
export function apiPage(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      tag: operation.tags[0],
      operation,
    })),
  );
  const unknown = operations.filter(({ tag }) => !document.tags.some(({ name }) => name === tag));
  if (unknown.length > 0) throw new Error(`TAGS in openapi-document.ts lacks the tag ${unknown[0].tag}`);
  const groups = document.tags.map((tag) => ({ ...tag, members: operations.filter((each) => each.tag === tag.name) }));
  return `${[
    '# HTTP API',
    '<!-- Written by `npm run docs` from the OpenAPI document of the service. Changes belong to the schemas of the routes. -->',
    'This page lists every endpoint of the [service](service.md), which explains them by task. `GET /openapi.json` returns the same as an OpenAPI 3.1 document, `GET /swagger` shows it in a browser, and [`@headrace/client`](../packages/client/README.md) has its types.',
    ...textParts(document.info.description),
    '## Endpoints',
    table(
      ['Endpoint', 'What it does', 'Role'],
      groups.flatMap(({ members }) =>
        members.map(({ name, operation }) => [
          `[${code(name)}](#${anchor(name)})`,
          prose(operation.summary),
          operation['x-role'],
        ]),
      ),
    ),
    ...groups.flatMap(({ description, members }) => [
      `## ${description}`,
      ...members.flatMap(({ name, operation }) => operationParts(name, operation)),
    ]),
    '## Schemas',
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      schemaParts(name, schema, exampleOf(name, operations)),
    ),
  ].join('\n\n')}\n`;
}

function operationParts(name, { summary, description, parameters = [], requestBody, responses, 'x-role': role }) {
  const needs = role === 'open' ? 'It needs no login.' : `It needs the role ${code(role)}.`;
  return [
    `### ${code(name)}`,
    `${prose(summary)}. ${needs}`,
    ...textParts(description),
    ...(parameters.length === 0 ? [] : [parameterTable(parameters)]),
    ...(requestBody === undefined ? [] : bodyParts(requestBody.content)),
    ...answersOf(responses),
    `Errors: ${errorsOf(responses)}. [What each code means](errors.md#requests).`,
  ];
}

function errorsOf(responses) {
  const statuses = Object.keys(responses).filter((status) => Number(status) >= 400);
  return statuses.length === 0 ? 'only general ones' : statuses.join(', ');
}

function parameterTable(parameters) {
  return table(
    ['Parameter', 'In', 'Type', 'Required', 'Allowed', 'Description'],
    parameters
      .toSorted((a, b) => PLACES.indexOf(a.in) - PLACES.indexOf(b.in))
      .map(({ name, in: where, required, schema, description }) => [
        code(name),
        where,
        typeOf(schema),
        required === true ? 'yes' : '',
        allowed(schema),
        prose(description ?? descriptionOf(schema)),
      ]),
  );
}

function bodyParts(content) {
  const optional = Object.values(content).some(({ schema }) => choicesOf(schema).some(isNull));
  return Object.entries(content).flatMap(([type, { schema, example }]) => [
    `**Body**${optional ? ', optional' : ''}: ${code(type)}.${sentence(descriptionOf(schema))}`,
    ...fieldParts(schema, true),
    ...exampleParts('Example of a body', type, example),
  ]);
}

function answersOf(responses) {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return answers.flatMap(([status, answer], i) => {
    const isRepeated = i > 0 && JSON.stringify(schemasOf(answer)) === JSON.stringify(schemasOf(answers[0][1]));
    return isRepeated ? [`**${status}**: the same as ${answers[0][0]}.`] : answerParts(status, answer);
  });
}

function schemasOf({ content = {} }) {
  return Object.values(content).map(({ schema }) => schema);
}

function answerParts(status, { description, content }) {
  const about = NO_DESCRIPTIONS.has(description) ? '' : description;
  if (content === undefined) return [`**${status}**, without a body.${sentence(about)}`];
  return Object.entries(content).flatMap(([type, { schema = {}, example }], i) => {
    const types = typeOf(schema);
    // A shared schema has its description and its example in its section.
    const isShared = types.includes('](#');
    const [first = '', ...rest] = i > 0 || isShared ? [] : textParts(about || descriptionOf(schema));
    return [
      `**${status}**: ${code(type)}${types === 'any' ? '' : `, ${types}`}.${first === '' ? '' : ` ${dotted(first)}`}`,
      ...rest,
      ...fieldParts(schema, false),
      ...(isShared ? [] : exampleParts('Example', type, example)),
    ];
  });
}

function schemaParts(name, schema, example) {
  return [
    `### ${name}`,
    ...textParts(schema.description).map(dotted),
    ...fieldParts(schema, false),
    ...exampleParts('Example', 'application/json', example),
  ];
}

/** Returns the example of the first operation that answers a shared schema, or a list of it. */
function exampleOf(name, operations) {
  const answers = operations
    .filter(({ name: operation }) => operation.startsWith('GET '))
    .flatMap(({ operation }) => Object.entries(operation.responses))
    .flatMap(([, { content }]) => Object.values(content ?? {}));
  const examples = answers.flatMap(({ schema = {}, example }) => {
    if (example === undefined) return [];
    if (schema.$ref === SCHEMA_PREFIX + name) return [example];
    return schema.items?.$ref === SCHEMA_PREFIX + name ? [example[0]] : [];
  });
  return examples[0];
}

function exampleParts(title, type, example) {
  if (example === undefined || type === 'application/octet-stream' || jsonText(example) === '{}') return [];
  const isText = typeof example === 'string';
  // A part of a config, which the test of complete configs must not read.
  const language = type === 'application/hocon' ? 'hocon fragment' : isText ? 'text' : 'json';
  return [`${title}:`, block(language, isText ? example.trimEnd() : jsonText(example))];
}

/** Returns the table of the fields of an object, or nothing. */
function fieldParts(schema, isRequest) {
  const rows = fieldRows(schema, '', isRequest);
  if (rows.length === 0) return [];
  return [table(['Field', 'Type', ...(isRequest ? ['Required'] : []), 'Allowed', 'Description'], rows)];
}

/** Returns a row for each field, nested ones as `outer.inner` or `list[].inner`. */
function fieldRows(schema, prefix, isRequest) {
  return choicesOf(schema).flatMap((choice) => {
    if (choice.type === 'array') return fieldRows(choice.items ?? {}, `${prefix}[]`, isRequest);
    const required = new Set(choice.required);
    return Object.entries(choice.properties ?? {}).flatMap(([name, property]) => {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      const optional = !required.has(name);
      return [
        [
          code(path),
          `${typeOf(property)}${optional && !isRequest ? ', optional' : ''}`,
          ...(isRequest ? [optional ? '' : 'yes'] : []),
          allowed(property),
          prose(descriptionOf(property)),
        ],
        ...fieldRows(property, path, isRequest),
      ];
    });
  });
}

function choicesOf(schema) {
  return schema.anyOf ?? [schema];
}

function isNull({ type }) {
  return type === 'null';
}

/** Returns the description of a schema, or of its only choice that has one. */
function descriptionOf(schema) {
  return (
    schema.description ?? choicesOf(schema).find(({ description }) => description !== undefined)?.description ?? ''
  );
}

function typeOf(schema) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(SCHEMA_PREFIX.length);
    return `[${name}](#${anchor(name)})`;
  }
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.format === 'binary') return 'bytes';
  if (schema.format !== undefined) return schema.format;
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.type !== 'object') return schema.type ?? (schema.enum === undefined ? 'any' : 'string');
  const values = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
  if (schema.properties !== undefined || typeof values !== 'object' || Object.keys(values).length === 0)
    return 'object';
  return `map of ${typeOf(values)}`;
}

function allowed(schema) {
  const values = schema.enum ?? schema.items?.enum ?? constants(schema);
  const choice = choicesOf(schema).find((each) => !isNull(each)) ?? {};
  const { minimum, maximum, maxLength, maxItems } = choice;
  return [
    ...(values === undefined ? [] : [values.map((value) => code(String(value))).join(', ')]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
  ].join(', ');
}

/** Returns the values of a union of constants, which the document has as lists of one value. */
function constants({ anyOf = [] }) {
  const isUnion = anyOf.length > 0 && anyOf.every((choice) => choice.enum !== undefined);
  return isUnion ? anyOf.flatMap((choice) => choice.enum) : undefined;
}

/** Returns the paragraphs and lists of a description. */
function textParts(description = '') {
  return description === '' ? [] : description.split('\n\n').map(prose);
}

/** Returns a sentence that follows another one, or an empty text. */
function sentence(text) {
  return text === '' ? '' : ` ${dotted(prose(text))}`;
}

function dotted(text) {
  return /[.:]$/.test(text) ? text : `${text}.`;
}

/** Returns the anchor of a heading, as GitHub creates it. */
function anchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
