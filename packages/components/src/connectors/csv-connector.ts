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
import { localFile, localPath, notLocal } from '../formats/byte-source.ts';
import { CsvFormat } from '../formats/csv/csv-format.ts';
import { checkCsvSettings, csvParameters } from '../formats/csv/csv-settings.ts';
import { PublishingFailed, watched } from '../formats/publishing.ts';
import { WalkNotes } from '../formats/walk-notes.ts';
import { makeFolders } from '../local-files/local-files.ts';
import { moveFile } from '../local-files/move-file.ts';
import { movedAway } from '../local-files/moved-files.ts';
import { isDelivered } from '../publishing/delivered.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { headerOnly } from './header-only.ts';
import { reachMoves } from './reach-moves.ts';

const parameters = Type.Object({
  path: Type.String(READS),
  ...csvParameters,
  idField: Type.Optional(Type.String()),
  docIdFormat: Type.Optional(Type.String()),
  moveToAfterProcessing: Type.Optional(Type.String(WRITES)),
  moveToErrorFolder: Type.Optional(Type.String(WRITES)),
});

/**
 * Publishes a document for each row of a CSV file. The first record is the header: its names become fields, all
 * values are texts. Besides, a document holds the path and the name of the file and its line number, which counts
 * records behind the header from 1, blank and rejected ones included.
 * <p>
 * Records end at LF, CRLF or CR. A cell in double quotes may hold separators, line ends and, doubled, quotes. A
 * backslash takes the special meaning from the character after it and disappears, unless
 * <code>ignoreEscapeChar</code> is set. Blank lines are skipped; a row with more or fewer columns than the header fails
 * by itself, with its place in the file. A header with an empty name, or without the id column, fails the file.
 * <p>
 * A quote in the wrong place can join rows. So text after a closing quote is reported with line and column, and counted
 * in the summary; it stays part of the cell. A row with a cell of more than <code>maxLinesPerCell</code> lines fails by
 * itself. A quote that is never closed holds the rest of the file: the connector fails, after the rows before it were
 * published.
 * <p>
 * The file is UTF-8 unless <code>encoding</code> says otherwise. Bytes that do not decode are counted in the summary,
 * with the place of the first; <code>onInvalidBytes</code> says whether they fail the file. With
 * <code>encoding: auto</code> a byte-order mark decides, then UTF-16 shows by its zeros. Else 64 KiB decide, beginning where
 * the file is no longer ASCII. If at least three of four places there that are not ASCII are valid UTF-8, the file is UTF-8,
 * and the other bytes count as bytes that do not decode. Any other encoding is a guess, with a warning. Where the guess is
 * weak, it is windows-1252.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>path (String, Required) : The file: a local path, a <code>file:</code> URI, or <code>classpath:x</code>, which is x in the working directory.</li>
 *   <li>idField (String, Optional) : The column that holds the id. Without it the id is the file's name, a dash and the line number.</li>
 *   <li>docIdFormat (String, Optional) : How the id is made of the value of idField, for example <code>movie-%s</code>: a Java format string with %s, widths and precisions.</li>
 *   <li>separatorChar (String, Optional) : The character between cells; of a longer text the first one. Defaults to a comma.</li>
 *   <li>useTabs (Boolean, Optional) : Whether tabs separate cells, whatever separatorChar says. Defaults to false.</li>
 *   <li>interpretQuotes (Boolean, Optional) : Whether double quotes enclose cells; otherwise they are ordinary characters. Defaults to true.</li>
 *   <li>ignoreEscapeChar (Boolean, Optional) : Whether a backslash is an ordinary character. Set it for files with Windows paths. Defaults to false.</li>
 *   <li>lowercaseFields (Boolean, Optional) : Whether names of columns are turned to lower case. Defaults to false.</li>
 *   <li>ignoredTerms (List&lt;String&gt;, Optional) : Cells that equal one of these make no field; list the empty text to leave out empty cells. Defaults to none.</li>
 *   <li>lineNumberField (String, Optional) : The field for the line number. Defaults to csvLineNumber.</li>
 *   <li>filenameField (String, Optional) : The field for the name of the file. Defaults to filename.</li>
 *   <li>filePathField (String, Optional) : The field for the path as it is configured. Defaults to source.</li>
 *   <li>maxLinesPerCell (Integer, Optional) : How many lines a quoted cell may have. Raise it for longer texts. Defaults to 1000.</li>
 *   <li>encoding (String, Optional) : What the file is encoded in: a label of the Encoding Standard (windows-1252, utf-16le, shift_jis, …), another name that iconv-lite knows (cp850), or auto. Defaults to utf-8.</li>
 *   <li>onInvalidBytes (String, Optional) : What happens to bytes that do not decode: "replace" makes them U+FFFD, "fail" fails the file. Defaults to replace.</li>
 *   <li>moveToAfterProcessing (String, Optional) : A folder to which the file is moved when all its documents have come to their end. It is created when it is missing. No file is overwritten: where the name is taken, the file stays, with a warning.</li>
 *   <li>moveToErrorFolder (String, Optional) : A folder to which the file is moved when it cannot be read to its end, in the same way.</li>
 * </ul>
 */
export class CSVConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  #target: Publisher | undefined;
  #completed = false;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const message = notLocal(params.path);
    if (message !== undefined) yield { parameter: 'path', message, hint: 'Give the path of a local file.' };
    yield* checkCsvSettings(params);
  }

  static override touches({ path, ...moves }: Static<typeof parameters>): Iterable<TouchedFile> {
    return movedAway([localPath(path)], moves);
  }

  /** Reads the header, as a run does, and looks at the folders that the file may be moved to. */
  override async reach(report: ReportProblem): Promise<void> {
    const { path, ...settings } = this.params;
    await reachMoves(settings, report);
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
    const { name, preview, docIdPrefix, log } = this.context;
    const target = requirePublisher(publisher, name);
    const notes = new WalkNotes();
    const format = new CsvFormat(settings, { docIdPrefix, log, note: (...noted) => notes.add(...noted) });
    try {
      try {
        await format.publish(localFile(path), watched(target));
      } finally {
        this.message = notes.text;
      }
    } catch (error) {
      // The file is not to blame: the next run takes it again.
      if (error instanceof PublishingFailed) throw error.cause;
      if (moveToErrorFolder !== undefined && !preview) await this.#move(moveToErrorFolder);
      throw error;
    }
    this.#completed = !target.signal.aborted;
    this.#target = target;
  }

  /** Moves the file only now, when nothing of it can be lost any more. */
  override async postExecute(): Promise<void> {
    const { path, moveToAfterProcessing } = this.params;
    if (this.#completed && moveToAfterProcessing !== undefined && !this.context.preview) {
      if (await isDelivered(this.#target)) await this.#move(moveToAfterProcessing);
      else this.#say(`${path} was not moved: documents of it could not be delivered`);
    }
  }

  #say(why: string): void {
    this.message = [this.message, why].filter((text) => text !== undefined).join(', ');
  }

  async #move(folder: string): Promise<void> {
    const file = localPath(this.params.path);
    try {
      // As the reference does.
      await moveFile(file, folder, 'leave');
    } catch (error) {
      const why = `${file} was not moved to ${folder}: ${messageOf(error)}`;
      this.#say(why);
      this.context.log.warn(why);
    }
  }
}
