import { messageOf, OneOf, type ParameterProblem, parseDuration, type Static, Type } from '@headrace/engine';
import { compileJavaRegex, type JavaRegex } from '@headrace/languages/java/regex';

/** The schema of the block `filterOptions`. */
export const FilterParameter = Type.Object({
  /**
   * Java regular expressions. Only files whose whole name matches one of them are published. The name of a local file
   * is without folders, that of an object in a bucket is its whole key, and that of a file in an archive is its path
   * there. An archive must also match. An empty list means all files.
   */
  includes: Type.Array(Type.String(), { default: [] }),
  /**
   * Java regular expressions. Files whose whole name matches one of them are not published, even if they match
   * includes.
   */
  excludes: Type.Array(Type.String(), { default: [] }),
  /** Folders to skip: local paths or URIs. */
  pathsToSkip: Type.Array(Type.String(), { default: [] }),
  /** A duration such as "2h". Only files that were modified within this time are published. */
  lastModifiedCutoff: Type.Optional(Type.String()),
  /** A duration. In the mode incremental, files that were published within this time are not published again. */
  lastPublishedCutoff: Type.Optional(Type.String()),
  /**
   * "full" publishes all files. "incremental" publishes only files that are new or were modified since they were
   * published; it needs state.
   */
  publishMode: Type.String({ default: 'full' }),
  /** Whether to publish tombstones of deleted files, "true" or "false"; needs the mode incremental. */
  sendTombstones: OneOf(['true', 'yes', 'on', 'false', 'no', 'off'], { default: 'false' }),
});

/** The settings that select the files to publish: the block `filterOptions` of a config. */
export type FilterSettings = Static<typeof FilterParameter>;

/** The properties of a file that the filter checks. */
export interface FilteredFile {
  /** The text that the patterns match: the name of a file, the key of an object, or the path inside an archive. */
  readonly name: string;
  /** The time of modification, in nanoseconds since the epoch. */
  readonly modified: bigint;
  /** Nanoseconds since the epoch; undefined if the file was never published. */
  readonly lastPublished: bigint | undefined;
}

/** Reports mistakes in the settings that the schema cannot express. */
export function* checkFilterSettings(settings: FilterSettings): Generator<ParameterProblem> {
  for (const list of ['includes', 'excludes'] as const) {
    for (const [i, pattern] of (settings[list] ?? []).entries()) {
      try {
        compileJavaRegex(pattern);
      } catch (error) {
        yield {
          parameter: `filterOptions.${list}[${i}]`,
          message: `"${pattern}" is not a regular expression: ${messageOf(error)}`,
          hint: 'A pattern is a regular expression that must match the whole name: write .*\\.txt, not *.txt.',
        };
      }
    }
  }
  for (const name of ['lastModifiedCutoff', 'lastPublishedCutoff'] as const) {
    const text = settings[name];
    if (text === undefined || parseDuration(text) !== undefined) continue;
    yield {
      parameter: `filterOptions.${name}`,
      message: `filterOptions.${name} must be a duration, was "${text}"`,
      hint: 'Write a number and a unit: 90s, 2h, 7d.',
    };
  }
  const { publishMode } = settings;
  if (publishMode !== undefined && !/^(full|incremental)$/i.test(publishMode)) {
    yield {
      parameter: 'filterOptions.publishMode',
      message: `filterOptions.publishMode must be "full" or "incremental", was "${publishMode}"`,
    };
  }
}

export function isIncremental({ publishMode }: FilterSettings): boolean {
  return publishMode?.toLowerCase() === 'incremental';
}

export function sendsTombstones({ sendTombstones }: FilterSettings): boolean {
  return sendTombstones === 'true' || sendTombstones === 'yes' || sendTombstones === 'on';
}

/**
 * The possible difference between the clock of a remote storage and ours, in nanoseconds. S3 and Azure also report
 * times in whole seconds: an object that is overwritten after we read it may have a time from before the run.
 */
const REMOTE_CLOCK_NANOS = 10_000_000_000n;

/** Decides which files are published. */
export class FileFilter {
  readonly #includes: readonly JavaRegex[];
  readonly #excludes: readonly JavaRegex[];
  readonly #modifiedSince: bigint | undefined;
  readonly #publishedBefore: bigint | undefined;
  readonly #incremental: boolean;
  readonly #clockMargin: bigint;

  /**
   * @param now the current time in nanoseconds since the epoch; the time windows end here
   * @param isLocal whether the times of files come from the clock of this machine
   */
  constructor(settings: FilterSettings, now: bigint, isLocal: boolean) {
    this.#includes = settings.includes.map((pattern) => compileJavaRegex(pattern));
    this.#excludes = settings.excludes.map((pattern) => compileJavaRegex(pattern));
    this.#modifiedSince = startOf(settings.lastModifiedCutoff, now);
    this.#publishedBefore = startOf(settings.lastPublishedCutoff, now);
    this.#incremental = isIncremental(settings);
    this.#clockMargin = isLocal ? 0n : REMOTE_CLOCK_NANOS;
  }

  accepts({ name, modified, lastPublished }: FilteredFile): boolean {
    if (this.#excludes.some((pattern) => pattern.matches(name))) return false;
    if (this.#includes.length > 0 && !this.#includes.some((pattern) => pattern.matches(name))) return false;
    if (this.#modifiedSince !== undefined && modified < this.#modifiedSince) return false;
    if (!this.#incremental || lastPublished === undefined) return true;
    const isNew = modified > lastPublished - this.#clockMargin;
    return isNew && (this.#publishedBefore === undefined || lastPublished < this.#publishedBefore);
  }
}

function startOf(window: string | undefined, now: bigint): bigint | undefined {
  const length = window === undefined ? undefined : parseDuration(window);
  return length === undefined ? undefined : now - length;
}
