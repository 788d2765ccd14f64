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
  embed: (text: string) => Promise<Float32Array>,
): Promise<void> | undefined {
  const { source, embedDocument, embedChildren } = fields;
  const children = embedChildren ? document.values('___children') : [];
  const texts = [
    embedDocument ? firstText(document.get(source)) : undefined,
    ...children.map((child) => (child instanceof Map ? firstText(child.get(source)) : undefined)),
  ];
  if (texts.every((text) => text === undefined)) return undefined;
  const vectors = texts.map(async (text) => (text === undefined ? undefined : embed(text)));
  return writeVectors(document, fields, children, vectors);
}

/** Returns a function that reports that a text was cut, because it has more tokens than the model reads. */
export function cutReport(
  { notices }: Pick<StageContext, 'notices'>,
  document: Document,
  field: string,
): (tokens: number) => void {
  return (tokens) => {
    const hint = `The text has ${tokens} tokens, more than the model reads. Divide it with ChunkText or ChunkPassages.`;
    notices.report('embedding.cut', { document: document.id, field, hint });
  };
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
