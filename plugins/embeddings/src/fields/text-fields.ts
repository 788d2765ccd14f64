import { type Document, type StageContext, textOf, toValue, type UpdateMode, type Value } from 'headrace/engine';

/** The fields of a stage that turns texts into vectors. */
export interface TextFields {
  readonly source: string;
  readonly dest: string;
  readonly updateMode: UpdateMode;
  readonly embedDocument: boolean;
  readonly embedChildren: boolean;
}

/**
 * Adds the vectors of the texts of a document and its attached children. Returns undefined if there is no text: the
 * document does not change.
 */
export function addVectors(
  document: Document,
  fields: TextFields,
  { notices }: Pick<StageContext, 'notices'>,
  embed: (text: string, onCut: (tokens: number) => void) => Promise<Float32Array>,
): Promise<void> | undefined {
  const { source, embedDocument, embedChildren } = fields;
  const children = embedChildren ? document.values('___children') : [];
  const texts = [
    embedDocument ? firstText(document.get(source)) : undefined,
    ...children.map((child) => (child instanceof Map ? firstText(child.get(source)) : undefined)),
  ];
  if (texts.every((text) => text === undefined)) return undefined;
  const report = (hint: string) => notices.report('embedding.cut', { document: document.id, field: source, hint });
  const values = [
    document.get(source),
    ...children.map((child) => (child instanceof Map ? child.get(source) : undefined)),
  ];
  for (const [i, value] of values.entries()) {
    if (texts[i] === undefined || !Array.isArray(value) || value.length < 2) continue;
    report(`The field has ${value.length} values, and the vector represents the first one.`);
  }
  const onCut = (tokens: number) =>
    report(`The text has ${tokens} tokens, more than the model reads. Divide it with ChunkText or ChunkPassages.`);
  const vectors = texts.map(async (text) => (text === undefined ? undefined : embed(text, onCut)));
  return writeVectors(document, fields, children, vectors);
}

async function writeVectors(
  document: Document,
  { dest, updateMode }: TextFields,
  children: readonly Value[],
  vectors: readonly Promise<Float32Array | undefined>[],
): Promise<void> {
  const [own, ...others] = await Promise.all(vectors);
  if (own !== undefined) document.update(dest, updateMode, toValue(own) as Value[]);
  if (others.every((vector) => vector === undefined)) return;
  const embedded = children.map((child, i) => {
    const vector = others[i];
    return vector === undefined ? child : new Map(child as Map<string, Value>).set(dest, toValue(vector));
  });
  document.put('___children', embedded);
}

/** Returns the first value of a field as a text; undefined if it is missing, null or blank. */
function firstText(value: Value | undefined): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  const text = first === undefined ? null : textOf(first);
  return text === null || text.trim() === '' ? undefined : text;
}
