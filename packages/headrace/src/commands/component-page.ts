import { type CatalogEntry, ownFields, plainType, type SpecField } from '@headrace/engine';

const WIDTH = 100;

/** Returns the page of one component, for a terminal. */
export function describeComponent(entry: CatalogEntry): string {
  const own = ownFields(entry);
  // The catalog does not mark `class` as required, as in the reference, but the engine requires it.
  const shared = entry.fields
    .filter((field) => !own.includes(field))
    .map((field) => ({ ...field, required: field.name === 'class' }));
  const parts = [
    `${entry.name} (${entry.kind}, ${entry.package})`,
    ...(entry.description === undefined ? [] : [wrap(entry.description, '')]),
    ...usage(entry),
    ...fieldList('Parameters', own),
    ...fieldList(`Keys of every ${entry.kind}`, shared),
    ...(entry.examples ?? []).map((example) => `Example\n${indent(exampleText(example), '  ')}`),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns an example as text: a whole config, or the parameters of the component with documents. */
function exampleText(example: unknown): string {
  const { config } = example as { config?: unknown };
  return typeof config === 'string' ? config.trimEnd() : JSON.stringify(example, null, 2);
}

function usage({ name, kind, aliases, type, block }: CatalogEntry): string[] {
  const names = [name, ...aliases].join(' or ');
  const lines = [kind === 'indexer' ? `indexer.class: ${names}` : `class: ${names}`];
  if (type !== undefined) lines.push(`indexer.type: ${type}`);
  if (block !== undefined) lines.push(`Its parameters are in the block ${block} { … }.`);
  return [lines.join('\n')];
}

/** Returns a list of parameters, required ones first. */
function fieldList(title: string, fields: readonly SpecField[]): string[] {
  if (fields.length === 0) return [];
  const sorted = fields.toSorted((a, b) => Number(b.required) - Number(a.required));
  return [`${title}\n${sorted.map((field) => describeField(field, '  ')).join('\n')}`];
}

function describeField(field: SpecField, margin: string): string {
  const facts = [plainType(field.type), field.required ? 'required' : 'optional'];
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

/** Wraps a text. Lines that begin with a space belong to a config, so they stay unchanged. */
function wrap(text: string, margin: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? margin + line : wrapParagraph(line, margin)))
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

export function firstSentence({ description = '' }: CatalogEntry): string {
  return /^[^\n]*?[.:](?=\s|$)|^[^\n]*/.exec(description)?.[0].replace(/:$/, '.') ?? '';
}
