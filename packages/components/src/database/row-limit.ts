import { maxValueBytes } from '@headrace/engine';

/** A row, or one of its values, that has more bytes than a value may have. */
export class RowTooLarge extends Error {
  readonly hint = 'Select fewer or smaller columns. In a service, limits.memoryMb limits a value to a sixth of it.';

  constructor() {
    super(`a row has more than ${Math.floor(maxValueBytes() / 2 ** 20)} MiB`);
  }
}
