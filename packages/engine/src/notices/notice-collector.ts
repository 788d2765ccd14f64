import { type AnyNotice, requireNotice } from './check-notice.ts';
import type { Notice, NoticeExample, NoticeSource, Notices } from './notice.ts';
import { exampleOf } from './notice-example.ts';
import { classOfNotice, meaningOfNotice, NOTICE_CLASSES, type NoticeClass } from './notice-table.ts';

/** The maximum number of examples of a code in a component. */
const MAX_EXAMPLES = 5;
/** The maximum number of custom codes of a component. Others are counted together. */
const MAX_CUSTOM = 20;
const OTHER = 'custom.other';

/** The cases of a code in a component. */
interface Counted {
  readonly source: NoticeSource;
  readonly code: string;
  readonly class: NoticeClass;
  readonly meaning: string | undefined;
  count: number;
  examples: NoticeExample[];
  /** The number of examples that were taken. */
  taken: number;
}

/**
 * Counts the notices of a thread. Its memory is limited: the codes come from a table, the number of custom codes is
 * limited, and each code has few examples.
 */
export class NoticeCollector {
  readonly #counted: Counted[] = [];
  readonly #components = new Map<string, ComponentNotices>();
  readonly #onReport: () => void;
  /** True if something was reported since the last `take`. */
  #some = false;
  /** The number of reports, also of those that were forgotten later. */
  reports = 0;

  /** @param onReport called after each report */
  constructor(onReport: () => void = () => undefined) {
    this.#onReport = onReport;
  }

  /** Returns what a component reports to. */
  of(source: NoticeSource): Notices {
    return this.#component(source);
  }

  /** Adds the notices of another thread. */
  add(notices: readonly Notice[]): void {
    for (const { code, class: itsClass, count, examples, component, pipeline } of notices) {
      const counted = this.#component({ component, pipeline }).find(code, itsClass);
      counted.count += count;
      counted.examples.push(...examples.slice(0, Math.max(0, MAX_EXAMPLES - counted.examples.length)));
      this.#reported();
    }
  }

  /** Returns the notices so far, the most serious class first. */
  list(): Notice[] {
    return this.#counted
      .filter(({ count }) => count > 0)
      .map(({ source: { component, pipeline }, code, class: itsClass, meaning, count, examples }) => ({
        code,
        class: itsClass,
        ...(meaning === undefined ? {} : { meaning }),
        component,
        ...(pipeline === undefined ? {} : { pipeline }),
        count,
        examples: [...examples],
      }))
      .sort(inOrder);
  }

  /** Returns the notices since the last call, and forgets them. */
  take(): Notice[] {
    if (!this.#some) return [];
    const notices = this.list();
    for (const counted of this.#counted) {
      counted.taken += counted.examples.length;
      counted.count = 0;
      counted.examples = [];
    }
    this.#some = false;
    return notices;
  }

  /** Returns a function that forgets the later reports. It is not valid after a `take`. */
  mark(): () => void {
    if (!this.#some) return this.#forget;
    const counts = this.#counted.map(({ count }) => count);
    const examples = this.#counted.map(({ examples }) => examples.length);
    return () => {
      for (const [i, counted] of this.#counted.entries()) {
        counted.count = counts[i] ?? 0;
        counted.examples.length = Math.min(counted.examples.length, examples[i] ?? 0);
      }
    };
  }

  readonly #forget = (): void => {
    if (!this.#some) return;
    for (const counted of this.#counted) {
      counted.count = 0;
      counted.examples.length = 0;
    }
    this.#some = false;
  };

  #component(source: NoticeSource): ComponentNotices {
    const key = JSON.stringify([source.component, source.pipeline]);
    let component = this.#components.get(key);
    if (component === undefined) {
      component = new ComponentNotices(source, this.#counted, () => this.#reported());
      this.#components.set(key, component);
    }
    return component;
  }

  #reported(): void {
    this.#some = true;
    this.reports++;
    this.#onReport();
  }
}

/** The notices of a component. */
class ComponentNotices implements Notices {
  readonly #source: NoticeSource;
  /** The notices of all components of the thread. */
  readonly #all: Counted[];
  readonly #reported: () => void;
  readonly #counted = new Map<string, Counted>();
  #customs = 0;

  constructor(source: NoticeSource, all: Counted[], reported: () => void) {
    this.#source = source;
    this.#all = all;
    this.#reported = reported;
  }

  report(code: string, details: AnyNotice = {}): void {
    const known = details.class === undefined && details.count === undefined ? this.#counted.get(code) : undefined;
    const counted = known ?? this.find(code, requireNotice(this.#source.component, code, details));
    const { count = 1 } = details;
    if (count === 0) return;
    // Before the count: V8 may interrupt this code at any instruction, and `mark` must see what it must restore.
    this.#reported();
    counted.count += count;
    if (counted.taken + counted.examples.length >= MAX_EXAMPLES) return;
    const example = exampleOf(details);
    if (example !== undefined) counted.examples.push(example);
  }

  /** Returns the cases of a code that exists. */
  find(code: string, itsClass: NoticeClass): Counted {
    if (classOfNotice(code) !== undefined) return this.#counted.get(code) ?? this.#add(code, code, itsClass);
    // A component may report a custom code with several classes.
    const key = `${code} ${itsClass}`;
    const found = this.#counted.get(key);
    if (found !== undefined) return found;
    if (this.#customs < MAX_CUSTOM && code !== OTHER) {
      this.#customs++;
      return this.#add(key, code, itsClass);
    }
    const other = `${OTHER} ${itsClass}`;
    return this.#counted.get(other) ?? this.#add(other, OTHER, itsClass);
  }

  #add(key: string, code: string, itsClass: NoticeClass): Counted {
    const counted = {
      source: this.#source,
      code,
      class: itsClass,
      meaning: meaningOfNotice(code),
      count: 0,
      examples: [],
      taken: 0,
    };
    // In this order, because V8 may interrupt it: a case that nothing refers to does no harm.
    this.#all.push(counted);
    this.#counted.set(key, counted);
    return counted;
  }
}

function inOrder(a: Notice, b: Notice): number {
  return (
    NOTICE_CLASSES.indexOf(a.class) - NOTICE_CLASSES.indexOf(b.class) ||
    compare(a.code, b.code) ||
    compare(a.pipeline ?? '', b.pipeline ?? '') ||
    compare(a.component, b.component)
  );
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
