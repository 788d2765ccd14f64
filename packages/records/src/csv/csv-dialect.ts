/** The syntax of a CSV file. Plain data: it crosses threads. */
export interface CsvDialect {
  /** One UTF-16 unit. */
  readonly separator: string;
  /** Whether `"` is a quote. */
  readonly quotes: boolean;
  /** Whether a backslash escapes a quote, a separator or a backslash, and is removed. */
  readonly escapes: boolean;
}
