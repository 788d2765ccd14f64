import {
  Connector,
  messageOf,
  type ParameterProblem,
  type Publisher,
  READS,
  type ReportProblem,
  type Static,
  type TouchedFile,
  Type,
  WRITES,
} from '@headrace/engine';
import { localFile, localPath, notLocal } from '../file-formats/byte-source.ts';
import { CsvFormat } from '../file-formats/csv/csv-format.ts';
import { checkCsvSettings, csvParameters } from '../file-formats/csv/csv-settings.ts';
import { PublishingFailed, watched } from '../file-formats/publishing.ts';
import { makeFolders } from '../local-files/local-files.ts';
import { moveFile } from '../local-files/move-file.ts';
import { movedAway } from '../local-files/moved-files.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { unreadSince } from '../publishing/unread.ts';
import { checkMovesAccess } from './check-moves-access.ts';
import { headerOnly } from './header-only.ts';

const parameters = Type.Object({
  /** The file: a local path, a file: URI, or classpath:x, which is x in the working directory. */
  path: Type.String(READS),
  ...csvParameters,
  /** The column with the id. Defaults to the file's name, a dash and the line number. */
  idField: Type.Optional(Type.String()),
  /**
   * How the id is formed from the value of idField, for example movie-%s: a Java format string with %s, widths and
   * precisions.
   */
  docIdFormat: Type.Optional(Type.String()),
  /**
   * A folder to which the file is moved when all its documents were indexed, or failed and are kept (by the service, or
   * with headrace run --failures FILE). It is created if it is missing. No file is overwritten: if the name exists, the
   * file stays, with a warning.
   */
  moveToAfterProcessing: Type.Optional(Type.String(WRITES)),
  /** A folder to which a file that cannot be read completely is moved, with the same rules. */
  moveToErrorFolder: Type.Optional(Type.String(WRITES)),
});

/**
 * Publishes a document for each row of a CSV file. The first record is the header: its names become fields. For a file
 * without header, columns has the names. All values are texts. A document also has the path and the name of the file and
 * its line number, which counts the records after the header from 1, including blank and rejected ones.
 *
 * Lines before the header are skipped with skipLines, comments with commentPrefix. A first line sep=; , which Excel
 * understands, is always skipped; with separatorChar: auto it sets the separator. A header of one column that contains
 * another usual separator is a notice.
 *
 * Records end at LF, CRLF or CR. A cell in quotes may contain separators, line ends and doubled quotes. Blanks around the
 * quotes do not belong to the cell. A backslash removes the special meaning of the next character and disappears, unless
 * ignoreEscapeChar is set. Blank lines are skipped. A row with more or fewer columns than the header fails alone, with
 * its position in the file; one empty cell more is ignored, and counted (emptyColumns). A header without any name, or
 * without the id column, fails the file.
 *
 * A quote in the wrong place can join rows. So text after a closing quote is logged with line and column, and counted
 * in the summary. It stays part of the cell. A row with a cell of more than maxLinesPerCell lines fails alone. A quote
 * that is never closed contains the rest of the file: the connector fails after it has published the rows before it.
 *
 * A file that is compressed with gzip, bzip2, xz or zstd is unpacked. A file that is no text fails with the name of its
 * format.
 *
 * The file is UTF-8 unless encoding names another one. Bytes that do not decode are counted in the summary, with the
 * position of the first; onInvalidBytes sets whether they fail the file. With encoding: auto, a byte-order mark
 * decides; UTF-16 is recognized by its zeros. Otherwise 64 KiB decide, from the first character that is not ASCII. If
 * at least three of four characters there are valid UTF-8, the file is UTF-8, and the other bytes count as bytes that
 * do not decode. Any other encoding is a guess, with a warning. A weak guess becomes windows-1252.
 */
export class CSVConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  #target: Publisher | undefined;
  #completed = false;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const message = notLocal(params.path);
    if (message !== undefined) yield { parameter: 'path', message, hint: 'Set path to a local file.' };
    yield* checkCsvSettings(params);
  }

  static override touches({ path, ...moves }: Static<typeof parameters>): Iterable<TouchedFile> {
    return movedAway([localPath(path)], moves);
  }

  /** Reads the header, as a run does, and checks the folders to which the file may be moved. */
  static override marksRead({ moveToAfterProcessing }: Static<typeof parameters>): boolean {
    return moveToAfterProcessing !== undefined;
  }

  override async checkAccess(report: ReportProblem): Promise<void> {
    const { path, ...settings } = this.params;
    await checkMovesAccess(settings, report);
    await new CsvFormat(settings, this.context).publish(localFile(path), headerOnly());
  }

  override async preExecute(): Promise<void> {
    if (this.context.preview) return;
    const { moveToAfterProcessing, moveToErrorFolder } = this.params;
    for (const folder of [moveToAfterProcessing, moveToErrorFolder]) {
      if (folder !== undefined) await makeFolders(folder);
    }
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { path, moveToErrorFolder, moveToAfterProcessing: _, ...settings } = this.params;
    const { name, preview, docIdPrefix, log, notices } = this.context;
    const target = requirePublisher(publisher, name);
    const format = new CsvFormat(settings, { docIdPrefix, log, notices });
    try {
      await format.publish(localFile(path), watched(target));
    } catch (error) {
      // A publishing failure is not the fault of the file: the file stays, and the next run reads it again.
      if (error instanceof PublishingFailed) throw error.cause;
      if (moveToErrorFolder !== undefined && !preview) await this.#move(moveToErrorFolder);
      throw error;
    }
    this.#completed = !target.signal.aborted;
    this.#target = target;
  }

  /** Moves the file after all its documents have finished, so that no document can be lost. */
  override async markRead(): Promise<void> {
    const { path, moveToAfterProcessing } = this.params;
    if (this.#completed && moveToAfterProcessing !== undefined && !this.context.preview) {
      const unread = await unreadSince(this.#target);
      if (unread === undefined) await this.#move(moveToAfterProcessing);
      else this.#say(`${path} was not moved: ${unread}`);
    }
  }

  #say(why: string): void {
    this.message = [this.message, why].filter((text) => text !== undefined).join(', ');
  }

  async #move(folder: string): Promise<void> {
    const file = localPath(this.params.path);
    try {
      // If the name is taken, the file stays in place, as in the reference.
      await moveFile(file, folder, 'leave');
    } catch (error) {
      const why = `${file} was not moved to ${folder}: ${messageOf(error)}`;
      this.#say(why);
      this.context.log.warn(why);
    }
  }
}
