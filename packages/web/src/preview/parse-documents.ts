import { exact } from '../format/numbers.ts';

/** The limit of the service. */
const MAX_DOCUMENTS = 1_000;

/** The documents of a text, or what is wrong with it. */
export interface ParsedDocuments {
  readonly documents: readonly unknown[];
  readonly problem?: string;
}

/** Parses documents: a JSON list, one JSON object, or one JSON object per line. */
export function parseDocuments(text: string): ParsedDocuments {
  const parsed = parsedValues(text);
  const count = parsed.documents.length;
  if (count <= MAX_DOCUMENTS) return parsed;
  return {
    documents: [],
    problem: `A preview takes at most ${exact(MAX_DOCUMENTS)} documents, and these are ${exact(count)}.`,
  };
}

function parsedValues(text: string): ParsedDocuments {
  try {
    const value: unknown = JSON.parse(text);
    return { documents: Array.isArray(value) ? value : [value] };
  } catch {
    // The text is not one JSON value, so each line is one.
  }
  const documents: unknown[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      documents.push(JSON.parse(line));
    } catch (error) {
      // The position that browsers add counts from the start of this line, and always names line 1.
      const reason = (error as Error).message.replace(/ in JSON at position .*$/, '');
      return { documents: [], problem: `Line ${i + 1} is not JSON: ${reason}` };
    }
  }
  return { documents };
}
