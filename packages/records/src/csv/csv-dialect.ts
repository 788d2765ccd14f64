/** How the text of a CSV file is to be read. Plain data: it crosses threads. */
export interface CsvDialect {
  /** One UTF-16 unit. */
  readonly separator: string;
  /** Whether `"` quotes. */
  readonly quotes: boolean;
  /** Whether a backslash takes the special meaning from a quote, a separator or a backslash, and disappears. */
  readonly escapes: boolean;
}
