import type { FinishedDocuments } from '../component/indexer.ts';
import type { NoticeRule, NoticeRules } from '../config/notice-rules.ts';
import { counted } from '../errors/counted.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Notice } from '../notices/notice.ts';
import { exampleText } from '../notices/notice-text.ts';
import type { DocumentCounts } from './counters.ts';

/** Returns the number of documents of a run, for limits that are percentages. */
export function documentsOf({ published, created }: DocumentCounts): number {
  return published + created;
}

/** Returns the reason why a run fails, if it has more notices than `runner.notices` allows. */
export function exceededNotices(
  rules: NoticeRules,
  notices: readonly Notice[],
  documents: number,
): Failure | undefined {
  const limited = new Map<string, Notice[]>();
  for (const notice of notices) {
    const name = ruleName(rules, notice);
    if (rules.get(name)?.kind === 'limit') limited.getOrInsertComputed(name, () => []).push(notice);
  }
  for (const [name, cases] of limited) {
    const allowed = exceededLimit(rules.get(name) as NoticeRule, cases, documents);
    if (allowed !== undefined) return failure(cases, allowed);
  }
  return undefined;
}

/** Returns the number of cases of each notice that means lost data. */
export function lossesOf(notices: readonly Notice[]): FinishedDocuments['losses'] {
  const counts = new Map<string, number>();
  for (const { code, class: itsClass, count } of notices) {
    if (itsClass === 'loss') counts.set(code, (counts.get(code) ?? 0) + count);
  }
  return [...counts].map(([code, count]) => ({ code, count }));
}

/** Marks the notices that the user has chosen to ignore. */
export function markIgnored(rules: NoticeRules, notices: readonly Notice[]): Notice[] {
  return notices.map((notice) =>
    rules.get(ruleName(rules, notice))?.kind === 'ignore' ? { ...notice, ignored: true } : notice,
  );
}

/** Returns the name of the rule that applies to a notice: that of its code or of its class. */
function ruleName(rules: NoticeRules, { code, class: itsClass }: Notice): string {
  return rules.has(code) ? code : itsClass;
}

/** Returns the exceeded limit as a text. */
function exceededLimit(rule: NoticeRule, cases: readonly Notice[], documents: number): string | undefined {
  if (rule.kind !== 'limit') return undefined;
  const count = total(cases);
  const { max, maxPercent } = rule;
  if (max !== undefined && count > max) return `${max}`;
  if (maxPercent === undefined || count * 100 <= maxPercent * documents) return undefined;
  return `${maxPercent}% of ${counted(documents, 'document')}`;
}

function failure(cases: readonly Notice[], allowed: string): Failure {
  const codes = [...new Set(cases.map(({ code }) => code))];
  const count = total(cases);
  const example = cases.flatMap(({ examples }) => examples)[0];
  const first = example === undefined ? '' : `. First: ${exampleText(example)}`;
  return {
    code: 'HR_RUN_NOTICES',
    message: `${count} ${count === 1 ? 'case' : 'cases'} of the ${codes.length === 1 ? 'notice' : 'notices'} ${codes.join(', ')}, and at most ${allowed} are allowed (runner.notices)${first}`,
    hint: 'Correct the cause, or change the rule of the code in runner.notices.',
  };
}

function total(cases: readonly Notice[]): number {
  return cases.reduce((sum, { count }) => sum + count, 0);
}
