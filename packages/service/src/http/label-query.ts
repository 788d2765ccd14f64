import { Type } from '@headrace/engine';
import { MAX_LABELS } from '../api/run-details.ts';
import { LABEL, LABEL_OR_NONE } from '../requests/text-formats.ts';

/** `label=key:value`, as often as there are labels. */
export const labelQuery = labels(LABEL.pattern, '`key:value`; several times: all of them');

/** The same for an upload, where `label=` takes away. */
export const uploadLabelQuery = labels(LABEL_OR_NONE.pattern, '`key:value`, several times; empty: none');

function labels(pattern: string, description: string) {
  return Type.Optional(Type.Array(Type.String({ pattern }), { maxItems: MAX_LABELS, description }));
}

/** The labels of a query by their keys. */
export function parseLabels(texts: readonly string[]): Record<string, string> {
  const labels = texts.map((text): [string, string] => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1)];
  });
  return Object.fromEntries(labels);
}
