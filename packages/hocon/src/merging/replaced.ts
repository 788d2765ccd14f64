import type { Origin, Replaced } from '../tree/node.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import { rawItems } from '../tree/raw.ts';

/** The maximum number of records: a text with more is made by a program. */
const MAX_REPLACED = 100;

/**
 * Records that a definition of a field replaces an earlier one of the same file with a different value, which would be
 * lost silently. Merging objects, appending, including, substituting and null are intended replacements, which are not
 * recorded.
 */
export function noteReplaced(key: string, upper: Raw, lower: Raw, by: Origin, before: Origin, marks: Marks): void {
  if (marks.replaced.length >= MAX_REPLACED || by.file !== before.file) return;
  if (by.line === before.line && by.column === before.column) return;
  if (!isLost(upper, lower) || isSame(upper, lower)) return;
  marks.replaced.push({ key, by, before } satisfies Replaced);
}

function isLost(upper: Raw, lower: Raw): boolean {
  if (lower.kind === 'null' || lower.kind === 'broken') return false;
  switch (upper.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'list':
      return true;
    case 'object':
      return lower.kind === 'list' || isScalar(lower);
    default:
      return false;
  }
}

function isScalar(node: Raw): node is Extract<Raw, { value: unknown }> {
  return node.kind === 'string' || node.kind === 'number' || node.kind === 'boolean';
}

/** Whether two values are written in the same way, as far as known before substitutions are resolved. */
function isSame(a: Raw, b: Raw): boolean {
  if (isScalar(a) && isScalar(b)) return String(a.value) === String(b.value);
  if (a.kind !== 'list' || b.kind !== 'list' || a.items.length !== b.items.length) return false;
  const others = rawItems(b);
  return rawItems(a).every((item, i) => {
    const other = others[i] as Raw;
    return isScalar(item) && isScalar(other) && String(item.value) === String(other.value);
  });
}
