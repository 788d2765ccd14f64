import { createLogger, type LogRecord } from '../component/logger.ts';
import type { NoticeRules } from '../config/notice-rules.ts';
import type { Notice } from '../notices/notice.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { noticeText } from '../notices/notice-text.ts';
import { markIgnored } from './notice-limits.ts';

/** The minimum time between two reports to the process. */
const REPORT_MILLIS = 500;

/** The notices of a run, which the process receives while the run is running. */
export class RunNotices {
  readonly collector = new NoticeCollector(() => this.#changed());
  readonly #post: (notices: Notice[]) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(post: (notices: Notice[]) => void) {
    this.#post = post;
  }

  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#post(this.collector.list());
    }, REPORT_MILLIS).unref();
  }

  /** Ends the reports. Returns all notices, and logs those that are not ignored. */
  end(log: (record: LogRecord) => void, rules: NoticeRules): Notice[] {
    clearTimeout(this.#timer);
    const notices = markIgnored(rules, this.collector.list());
    for (const notice of notices) {
      if (notice.ignored) continue;
      const { code, class: itsClass, component, pipeline, count, examples } = notice;
      const fields = { code, class: itsClass, component, pipeline, count, examples };
      const level = itsClass === 'loss' ? 'warn' : 'info';
      createLogger(component, log)[level](`Notice ${noticeText(notice)}`, fields);
    }
    return notices;
  }
}
