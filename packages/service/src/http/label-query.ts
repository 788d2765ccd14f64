import { Type } from '@headrace/engine';
import { MAX_LABELS } from '../api/run-details.ts';
import { LABEL, LABEL_OR_NONE } from '../requests/text-formats.ts';

/** The labels in a query, as repeated parameters `label=key:value`. */
export const labelQuery = labels(LABEL.pattern, '`key:value`; repeat it to require several labels');

/** The labels in the query of an upload. An empty `label=` removes all labels. */
export const uploadLabelQuery = labels(
  LABEL_OR_NONE.pattern,
  '`key:value`; repeat it for several labels; an empty value removes all labels',
);

function labels(pattern: string, description: string) {
  return Type.Optional(Type.Array(Type.String({ pattern }), { maxItems: MAX_LABELS, description }));
}

/** Parses the labels of a query into an object. */
export function parseLabels(texts: readonly string[]): Record<string, string> {
  const labels = texts.map((text): [string, string] => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1)];
  });
  return Object.fromEntries(labels);
}
