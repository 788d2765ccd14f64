/** The syntax of a CSV file, as plain data that can be sent to other threads. */
export interface CsvDialect {
  /** The separator: one or more characters. It contains no line end. */
  readonly separator: string;
  /** The quote: one ASCII character, or the empty text if there is none. */
  readonly quote: string;
  /** True if a backslash escapes a quote, a separator or a backslash, and is removed. */
  readonly escapes: boolean;
  /**
   * What begins a comment: a line that is not part of a record. The empty text if there are no comments. It begins with
   * no blank, and contains no quote, no backslash, no line end and no character of the separator.
   */
  readonly comment: string;
}
