import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import { join, place, scalarNumber, scalarText } from '../component/config-nodes.ts';
import { unknownNotice } from '../notices/check-notice.ts';
import { classOfNotice, isCustomNotice, NOTICE_CLASSES, type NoticeClass } from '../notices/notice-table.ts';
import type { ProblemList } from './check-component.ts';

/**
 * What happens to the notices of a code or a class:
 * - `limit`: more cases fail the run. `max` is a number, `maxPercent` a percentage of all documents
 * - `warn`: they are reported
 * - `ignore`: they are only counted
 */
export type NoticeRule =
  | { readonly kind: 'limit'; readonly max?: number; readonly maxPercent?: number }
  | { readonly kind: 'warn' | 'ignore' };

/** The rules of `runner.notices` by code or class. A code without a rule has that of its class. */
export type NoticeRules = ReadonlyMap<string, NoticeRule>;

const RULE_HINT = 'Write fail, warn, ignore, { max: 10 } or { maxPercent: 0.1 }.';

/** Reads `runner.notices`, and reports its mistakes. */
export function checkNoticeRules(root: ObjectNode, list: ProblemList): NoticeRules {
  const runner = root.entries.get('runner');
  const notices = runner?.kind === 'object' ? runner.entries.get('notices') : undefined;
  const rules = new Map<string, NoticeRule>();
  // The schema of the block reports a value that is no object.
  if (notices?.kind !== 'object') return rules;
  for (const { name, path, node } of named(notices, '', 'runner.notices')) {
    const problem = (message: string, hint: string) =>
      list.add({ code: 'HR_CONFIG_INVALID_VALUE', path, ...place(node.origin), component: 'runner', message, hint });
    if (!isKnown(name)) {
      const { message, hint } = unknownNotice(name, NOTICE_CLASSES);
      problem(message, hint);
      continue;
    }
    const rule = ruleOf(node);
    if (rule === undefined) problem(`${name} has no valid rule`, RULE_HINT);
    else rules.set(name, rule);
  }
  return rules;
}

/** Yields the rules. Without quotes, `bytes.invalid` is an object `invalid` in an object `bytes`. */
function* named(
  { entries }: ObjectNode,
  before: string,
  at: string,
): Generator<{ name: string; path: string; node: ConfigNode }> {
  for (const [key, node] of entries) {
    if (node.kind === 'null') continue;
    const name = before === '' ? key : `${before}.${key}`;
    const path = join(at, key);
    const isFolder = node.kind === 'object' && !isKnown(name) && node.entries.size > 0;
    if (isFolder) yield* named(node, name, path);
    else yield { name, path, node };
  }
}

function isKnown(name: string): boolean {
  return NOTICE_CLASSES.includes(name as NoticeClass) || classOfNotice(name) !== undefined || isCustomNotice(name);
}

function ruleOf(node: ConfigNode): NoticeRule | undefined {
  if (node.kind !== 'object') {
    const text = scalarText(node);
    if (text === 'fail') return { kind: 'limit', max: 0 };
    return text === 'warn' || text === 'ignore' ? { kind: text } : undefined;
  }
  const limits: { max?: number; maxPercent?: number } = {};
  for (const [key, value] of node.entries) {
    const number = scalarNumber(value);
    if (number === undefined || number < 0) return undefined;
    if (key === 'max' && Number.isInteger(number)) limits.max = number;
    else if (key === 'maxPercent' && number <= 100) limits.maxPercent = number;
    else return undefined;
  }
  return node.entries.size === 0 ? undefined : { kind: 'limit', ...limits };
}
