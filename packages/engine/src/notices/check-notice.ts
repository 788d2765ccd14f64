import { contractError } from '../errors/contract-error.ts';
import { nearest } from '../errors/nearest.ts';
import type { NoticeDetails } from './notice.ts';
import { classOfNotice, isCustomNotice, NOTICE_CLASSES, NOTICES, type NoticeClass } from './notice-table.ts';

/** One case of a notice of any code. The class is given for custom codes only. */
export type AnyNotice = NoticeDetails & { readonly class?: NoticeClass };

/**
 * Returns the message about a notice that does not exist, for a config.
 * @param others other names that are allowed there
 */
export function unknownNotice(code: string, others: readonly string[] = []): { message: string; hint: string } {
  const best = nearest(code, [...others, ...Object.keys(NOTICES)]);
  const allowed = [...others, 'a code of the docs (notices.md)'].join(', ');
  const hint = best === undefined ? `Use ${allowed}, or custom.NAME.` : `Did you mean ${best}?`;
  return { message: `There is no notice ${code}`, hint };
}

/**
 * Returns the class of a reported notice. Throws `HR_COMPONENT_CONTRACT` if its code does not exist or its class is
 * missing, because a custom component may report anything.
 * @param who the component, for the message
 */
export function requireNotice(who: string, code: string, { class: itsClass, count = 1 }: AnyNotice): NoticeClass {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw contractError(`${who} reported the notice ${code} with the count ${count}, not a whole number`);
  }
  const tabled = classOfNotice(code);
  if (tabled !== undefined) return tabled;
  if (!isCustomNotice(code)) {
    const best = nearest(code, Object.keys(NOTICES));
    throw contractError(
      `${who} reported the notice ${JSON.stringify(code)}, which does not exist`,
      best === undefined ? 'The code of a custom component is custom.NAME.' : `Did you mean ${best}?`,
    );
  }
  if (itsClass !== undefined && NOTICE_CLASSES.includes(itsClass)) return itsClass;
  throw contractError(
    `${who} reported the notice ${code} without a class`,
    `The class is one of: ${NOTICE_CLASSES.join(', ')}.`,
  );
}
