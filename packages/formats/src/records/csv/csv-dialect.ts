/** The syntax of a CSV file, as plain data that can be sent to other threads. */
export interface CsvDialect {
  /** The separator: one UTF-16 unit. */
  readonly separator: string;
  /** True if `"` is a quote. */
  readonly quotes: boolean;
  /** True if a backslash escapes a quote, a separator or a backslash, and is removed. */
  readonly escapes: boolean;
}
