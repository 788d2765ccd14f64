import type { DescribesParameters, Publisher } from '@headrace/engine';
import type { SourceFile } from '../byte-source.ts';
import type { FormatContext } from '../format-context.ts';

/** Publishes the records of files, one file at a time. */
export interface FileFormat {
  /** The field that has the path of the file in every record. Undefined if records do not have it. */
  readonly pathField?: string;
  /**
   * Publishes the records of a file. Stops early if the publisher's signal is aborted.
   *
   * Throws `HR_SOURCE_UNREADABLE` if the file cannot be read, and `HR_SOURCE_INCOMPLETE` if the rest of the file cannot
   * be read.
   */
  publish(file: SourceFile, publisher: Publisher): Promise<void>;
}

/** A file handler: it reads the records of files with some extension. A plugin exports it under its class name. */
export interface FileHandler extends DescribesParameters {
  /** True if every record has the path of its file in the field `pathField` of the format. */
  readonly recordsHavePath?: boolean;
  /** @param settings the parameters without `class`, after they were checked */
  open(settings: never, context: FormatContext): FileFormat;
}
