// Writes TypeScript types of an OpenAPI document. Supports only the parts of JSON Schema that the service uses.

/** Returns a module with the types of a document: `Schemas` by name, `Operations` by method and path. */
export function typesOf({ paths, components }) {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => member(name, schema, true, '  '));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationType(`${method.toUpperCase()} ${path}`, operation)),
  );
  return [
    '// Made of the OpenAPI document of the service by scripts/build-client.mjs: do not change it.',
    `/** What operations share, by the name under which the document has it. */\nexport interface Schemas {\n${schemas.join('')}}`,
    `/** Every operation: what it takes, and what it answers. */\nexport interface Operations {\n${operations.join('')}}`,
    '',
  ].join('\n\n');
}

function operationType(name, { summary, parameters = [], requestBody, responses }) {
  const input = [];
  for (const [where, key] of [
    ['path', 'path'],
    ['query', 'query'],
    ['header', 'headers'],
  ]) {
    const own = parameters.filter((parameter) => parameter.in === where);
    if (own.length === 0) continue;
    const members = own.map(({ name, schema, description, required }) =>
      member(name, { ...schema, description: description ?? schema.description }, required === true, '        '),
    );
    const optional = own.every(({ required }) => required !== true);
    input.push(`      readonly ${key}${optional ? '?' : ''}: {\n${members.join('')}      };\n`);
  }
  if (requestBody !== undefined) {
    const optional = requestBody.required === true || isNeeded(requestBody) ? '' : '?';
    input.push(`      readonly body${optional}: ${contentType(requestBody.content)};\n`);
  }
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2') || status === '304');
  const output = answers.map(([, { content }]) => (content === undefined ? 'undefined' : contentType(content)));
  return [
    comment(summary, '  '),
    `  '${name}': {\n    input: {${input.length === 0 ? '' : `\n${input.join('')}    `}};\n`,
    `    output: ${[...new Set(output)].join(' | ')};\n  };\n`,
  ].join('');
}

/** Returns whether a request body is required. A body that may be null is optional. */
function isNeeded({ content }) {
  return Object.values(content).every(({ schema }) => !typeOf(schema, '').split(' | ').includes('null'));
}

function contentType(content) {
  return union(Object.values(content).map(({ schema }) => typeOf(schema ?? {}, '      ')));
}

function member(name, schema, required, indent) {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  return `${comment(schema.description, indent)}${indent}readonly ${key}${required ? '' : '?'}: ${typeOf(schema, indent)};\n`;
}

function typeOf(schema, indent) {
  if (schema.$ref !== undefined) return `Schemas[${JSON.stringify(schema.$ref.split('/').at(-1))}]`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, indent)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items ?? {}, indent)})[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], patternProperties, additionalProperties }, indent) {
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const members = Object.entries(properties).map(([name, property]) =>
      member(name, property, required.includes(name), `${indent}  `),
    );
    return `{\n${members.join('')}${indent}}`;
  }
  const [values] = Object.values(patternProperties ?? {});
  const rest = values ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
  return `{ readonly [name: string]: ${typeOf(rest, indent)} }`;
}

function union(types) {
  return [...new Set(types)].join(' | ');
}

function comment(text, indent) {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`;
}
