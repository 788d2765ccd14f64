import { Type } from '@headrace/engine';
import { Refusal } from '../errors/refusal.ts';
import { MAX_LABELS } from '../runs/run-details.ts';

/** `label=key:value`, as often as there are labels. */
export const labelQuery = Type.Optional(
  Type.Array(Type.String({ maxLength: 1101 }), {
    maxItems: MAX_LABELS,
    description: '`key:value`; several times: all of them',
  }),
);

/** The labels of a query by their keys. */
export function parseLabels(texts: readonly string[]): Record<string, string> {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const colon = text.indexOf(':');
    if (colon <= 0) {
      throw new Refusal('HR_REQUEST_INVALID', `The query: label=${text} is not key:value`, {
        hint: 'Write label=team:search.',
      });
    }
    labels.set(text.slice(0, colon), text.slice(colon + 1));
  }
  return Object.fromEntries(labels);
}
