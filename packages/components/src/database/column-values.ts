import type { NoticeCode, NoticeDetails, Value } from '@headrace/engine';
import { double } from '@headrace/engine';
import { SqlTimes } from '@headrace/languages/java/sql';
import { exactDecimal, isExact } from '../fields/exact-decimal.ts';

/** How the values of columns are written. Plain data. */
export interface ValueForms {
  /** `reference`: a date is the instant of its midnight. `plain`: it is `2024-01-02`. */
  readonly dates: 'reference' | 'plain';
  /** `double`: a decimal is a double. `string`: a text. `exact`: a number if a number holds all digits, else a text. */
  readonly decimals: 'double' | 'string' | 'exact';
}

/** The forms of the reference. */
export const REFERENCE_FORMS: ValueForms = { dates: 'reference', decimals: 'double' };

/** Receives the values that become other values. */
export type ReportChange = (code: NoticeCode, details: NoticeDetails) => void;

/** Creates readers for the texts of columns whose form can be chosen. */
export class ColumnValues {
  readonly times: SqlTimes;
  readonly #forms: ValueForms;
  readonly #report: ReportChange | undefined;

  constructor(times: SqlTimes, forms: ValueForms, report?: ReportChange) {
    this.times = times;
    this.#forms = forms;
    this.#report = report;
  }

  /** Returns the reader for a column of dates without a time. It returns null for a text that is not a date. */
  date(column: string): (text: string) => string | null {
    const { times } = this;
    if (this.#forms.dates === 'plain') {
      const utc = new SqlTimes('UTC');
      return (text) => {
        // The zone does not matter here, but its times collect the texts that are not dates.
        const instant = times.instant(text) === null ? null : utc.instant(text);
        return instant === null ? null : instant.slice(0, instant.indexOf('T'));
      };
    }
    return (text) => {
      const instant = times.instant(text);
      if (instant !== null && text.length === 10 && !instant.startsWith(text)) {
        this.#report?.('date.shifted', { field: column, value: text, hint: `It became ${instant}` });
      }
      return instant;
    };
  }

  /** Returns the reader for a column of decimals. */
  decimal(column: string): (text: string) => Value {
    switch (this.#forms.decimals) {
      case 'string':
        return (text) => text;
      case 'exact':
        return exactDecimal;
      case 'double':
        return (text) => {
          const number = Number(text);
          if (!isExact(text, number)) this.#report?.('number.rounded', { field: column, value: text });
          return double(number);
        };
    }
  }
}
