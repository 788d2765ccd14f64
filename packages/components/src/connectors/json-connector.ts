import { Connector, type ParameterProblem, type Publisher, READS, type Static, Type } from '@headrace/engine';
import { localFile, notLocal } from '../file-formats/byte-source.ts';
import { encodingParameters } from '../file-formats/encoding/encoding-settings.ts';
import { JsonFormat } from '../file-formats/json/json-format.ts';
import { checkJsonSettings, jsonRecordParameters } from '../file-formats/json/json-settings.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { checkFileAccess } from './check-file-access.ts';

/** The settings of a file handler for JSON that the connector does not have. */
const ALL_FIELDS = { whitelist: [], blacklist: [] };

const parameters = Type.Object({
  /** The file: a local path, a file: URI, or classpath:x, which is x in the working directory. */
  jsonPath: Type.String(READS),
  /** The field with the id. Defaults to the field id. */
  idField: Type.Optional(Type.String()),
  /** How the id is formed from the value of idField, as in CSVConnector. */
  docIdFormat: Type.Optional(Type.String()),
  ...jsonRecordParameters,
  ...encodingParameters,
});

/**
 * Publishes a document for each JSON object of a file: one or several on each line (JSON Lines), objects over several
 * lines, or the elements of an array. White space and commas between objects are optional. The beginning of the file
 * shows whether objects span lines. Values keep their types.
 *
 * Records inside an object, such as the features of GeoJSON or the items of an API's answer, are read with recordsPath,
 * in files of any size. A path that leads to nothing fails the file, with the keys that exist.
 *
 * Each object must have an id, a text or a number, in the field id or in idField. An object that cannot be read, or has no id, fails alone, with its
 * position in the file. Text after an object that is not an object fails with the rest of its line; blank lines are
 * skipped.
 *
 * If the file ends inside an object, a string or an array, it was probably cut off, or a quote or a brace is missing.
 * The connector then fails, after it has published the objects before that place.
 *
 * A file that is compressed with gzip, bzip2, xz or zstd is unpacked. A file that is no text fails with the name of its
 * format.
 *
 * The file is UTF-8 unless encoding names another one. Bytes that do not decode are counted in the summary, with the
 * position of the first; onInvalidBytes sets whether they fail the file. encoding: auto works as in CSVConnector.
 */
export class JSONConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const message = notLocal(params.jsonPath);
    if (message !== undefined) yield { parameter: 'jsonPath', message, hint: 'Set jsonPath to a local file.' };
    yield* checkJsonSettings({ ...ALL_FIELDS, ...params });
  }

  override async checkAccess(): Promise<void> {
    await checkFileAccess(this.params.jsonPath);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { jsonPath, ...settings } = { ...ALL_FIELDS, ...this.params };
    const { name, docIdPrefix, log, notices } = this.context;
    const target = requirePublisher(publisher, name);
    const format = new JsonFormat(settings, { docIdPrefix, log, notices });
    await format.publish(localFile(jsonPath), target);
  }
}
