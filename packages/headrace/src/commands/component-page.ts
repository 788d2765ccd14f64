import type { CatalogEntry } from '@headrace/engine';

type Field = CatalogEntry['fields'][number];
type FieldType = Field['type'];

const WIDTH = 100;

/** The page of one component, for a terminal. */
export function describeComponent(entry: CatalogEntry): string {
  const parts = [
    `${entry.name} (${entry.kind}, ${entry.package})`,
    ...(entry.description === undefined ? [] : [wrap(entry.description, '')]),
    ...usage(entry),
    ...(entry.fields.length === 0
      ? []
      : [`Parameters\n${entry.fields.map((field) => describeField(field, '  ')).join('\n')}`]),
    ...(entry.examples ?? []).map((example) => `Example\n${indent(JSON.stringify(example, null, 2), '  ')}`),
  ];
  return `${parts.join('\n\n')}\n`;
}

function usage({ name, kind, aliases, type, block }: CatalogEntry): string[] {
  const names = [name, ...aliases].join(' or ');
  const lines = [kind === 'indexer' ? `indexer.class: ${names}` : `class: ${names}`];
  if (type !== undefined) lines.push(`indexer.type: ${type}`);
  if (block !== undefined) lines.push(`Its parameters stand in the block ${block} { … }.`);
  return [lines.join('\n')];
}

function describeField(field: Field, margin: string): string {
  const facts = [typeName(field.type), field.required ? 'required' : 'optional'];
  if (field.default !== undefined) facts.push(`default ${JSON.stringify(field.default)}`);
  if (field.enum !== undefined) facts.push(`one of ${field.enum.join(', ')}`);
  if (field.minimum !== undefined) facts.push(`at least ${field.minimum}`);
  if (field.exclusiveMinimum !== undefined) facts.push(`more than ${field.exclusiveMinimum}`);
  if (field.maximum !== undefined) facts.push(`at most ${field.maximum}`);
  if (field.exclusiveMaximum !== undefined) facts.push(`less than ${field.exclusiveMaximum}`);
  const lines = [`${margin}${field.name} (${facts.join(', ')})`];
  if (field.description !== undefined) lines.push(wrap(field.description, `${margin}    `));
  if ('child' in field.type) {
    for (const child of field.type.child.fields) lines.push(describeField(child, `${margin}    `));
  }
  return lines.join('\n');
}

/** The type in plain words: the reference's `java.util.List<java.lang.String>` is `list of string`. */
function typeName(type: FieldType): string {
  if ('child' in type) return 'object';
  if ('typeReference' in type) return plainType(type.typeReference);
  return type.type.toLowerCase();
}

const PLAIN: Readonly<Record<string, string>> = {
  'java.lang.String': 'string',
  'java.lang.Boolean': 'boolean',
  'java.lang.Integer': 'number',
  'java.lang.Long': 'number',
  'java.lang.Float': 'number',
  'java.lang.Double': 'number',
  'java.lang.Object': 'any value',
};

function plainType(reference: string): string {
  const list = /^java\.util\.List<(.*)>$/.exec(reference);
  if (list !== null) return `list of ${plainType(list[1] as string)}`;
  const map = /^java\.util\.Map<[^,]*,\s*(.*)>$/.exec(reference);
  if (map !== null) return `map of names to ${plainType(map[1] as string)}`;
  return PLAIN[reference] ?? reference;
}

function wrap(text: string, margin: string): string {
  return text
    .split('\n')
    .map((paragraph) => wrapParagraph(paragraph, margin))
    .join('\n');
}

function wrapParagraph(paragraph: string, margin: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && margin.length + line.length + 1 + word.length > WIDTH) {
      lines.push(margin + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line === '' ? '' : margin + line);
  return lines.join('\n');
}

function indent(text: string, margin: string): string {
  return text.replace(/^/gm, margin);
}
