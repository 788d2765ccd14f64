import {
  Connector,
  type ParameterProblem,
  type Publisher,
  READS,
  type ReportProblem,
  type Static,
  Type,
  toFailure,
} from '@headrace/engine';
import { localFile, notLocal } from '../file-formats/byte-source.ts';
import { invalidBytesParameter } from '../file-formats/encoding/encoding-settings.ts';
import { XmlFormat } from '../file-formats/xml/xml-format.ts';
import { checkXmlSettings } from '../file-formats/xml/xml-settings.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { checkFileAccess } from './check-file-access.ts';

const parameters = Type.Object({
  /**
   * The files: local paths, file: URIs, or classpath:x, which is x in the working directory. One of filePaths and
   * urlFiles is required.
   */
  filePaths: Type.Optional(Type.Array(Type.String(READS))),
  /** The same files, with file:// before each path, which may be relative. Takes precedence over filePaths. */
  urlFiles: Type.Optional(Type.Array(Type.String(READS))),
  /** The path of the elements that become documents, for example /Company/staff. */
  xmlRootPath: Type.String(),
  /** The path of the elements with the id, also from the root: /Company/staff/id. */
  xmlIdPath: Type.String(),
  /**
   * The charset of the files, such as utf-8, regardless of what they declare: a name that Java, the Encoding Standard
   * or iconv-lite knows. With auto, a byte-order mark or the declaration decides, otherwise it is detected as in
   * CSVConnector.
   */
  encoding: Type.String(),
  /** The field for the XML of the element. */
  outputField: Type.String(),
  ...invalidBytesParameter,
});

/**
 * Publishes a document for each element of XML files at a given path. The document has the unchanged text of the
 * element, from its start tag to its end tag: use XPathExtractor to copy values from it.
 *
 * The id is the text of the elements at another path. Several are joined, white space is kept. An element without an id
 * gets a random one. Files may have any size. An element that is not well-formed fails alone: it ends at its end tag, or
 * where the next element begins. A file that is not well-formed elsewhere fails the connector, after the elements before
 * the fault were published. A compressed file (gzip, bzip2, xz, zstd) is unpacked. Entities are never expanded and nothing outside the file is read.
 *
 * Paths are names of elements from the root, as in /Company/staff, written as in the file, including the prefix. They
 * are not XPath.
 */
export class XMLConnector extends Connector<typeof parameters> {
  static readonly javaClass = 'com.kmwllc.lucille.connector.xml.XMLConnector';
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.filePaths === undefined && params.urlFiles === undefined) {
      yield { parameter: 'filePaths', message: 'No files are given', hint: 'List them in filePaths.' };
    }
    for (const list of ['filePaths', 'urlFiles'] as const) {
      if (params[list]?.length === 0 && (list === 'urlFiles' || params.urlFiles === undefined)) {
        yield {
          parameter: list,
          severity: 'warning',
          message: `${list} is empty: nothing is read`,
          hint: 'List at least one file.',
        };
      }
      for (const [i, path] of (params[list] ?? []).entries()) {
        const message = notLocal(path);
        if (message !== undefined) {
          yield { parameter: `${list}[${i}]`, message, hint: 'Use a local path, or FileConnector for other files.' };
        }
      }
    }
    yield* checkXmlSettings(params);
  }

  override async checkAccess(report: ReportProblem): Promise<void> {
    const { filePaths = [], urlFiles } = this.params;
    for (const [i, path] of (urlFiles ?? filePaths).entries()) {
      try {
        await checkFileAccess(withoutScheme(path));
      } catch (error) {
        const { code: _, ...failure } = toFailure(error, 'HR_SOURCE_UNREADABLE');
        report({ parameter: `${urlFiles === undefined ? 'filePaths' : 'urlFiles'}[${i}]`, ...failure });
      }
    }
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { filePaths = [], urlFiles, ...settings } = this.params;
    const { name, docIdPrefix, log, notices } = this.context;
    const target = requirePublisher(publisher, name);
    const format = new XmlFormat(settings, { docIdPrefix, log, notices });
    for (const path of urlFiles ?? filePaths) {
      await format.publish(localFile(withoutScheme(path)), target);
      if (target.signal.aborted) return;
    }
  }
}

/** Removes only the scheme: the rest may be a relative path, which a URI cannot contain. */
function withoutScheme(path: string): string {
  return path.replace(/^file:\/\//i, '');
}
