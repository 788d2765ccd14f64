import { Connector, type ParameterProblem, type Publisher, READS, type Static, Type } from '@headrace/engine';
import { localFile, notLocal } from '../formats/byte-source.ts';
import { JsonFormat } from '../formats/json/json-format.ts';
import { reachFile } from './reach-file.ts';
import { requirePublisher } from './require-publisher.ts';

const parameters = Type.Object({ jsonPath: Type.String(READS) });

/**
 * Publishes a document for each JSON object of a file: one on each line (JSON Lines), pretty-printed ones one after the
 * other, or the elements of an array. Which of these it is shows at the beginning of the file. Values keep their types.
 * <p>
 * Each object must have an <code>id</code>, a text or a number. What cannot be read, or has no id, fails by itself, with
 * its place in the file. On a line, text behind the object is ignored; blank lines are skipped. The file is UTF-8: UTF-16
 * is refused, and bytes that are not UTF-8 become U+FFFD, with a warning.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>jsonPath (String, Required) : The file: a local path, a <code>file:</code> URI, or <code>classpath:x</code>, which is x in the working directory.</li>
 * </ul>
 */
export class JSONConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const message = notLocal(params.jsonPath);
    if (message !== undefined) yield { parameter: 'jsonPath', message, hint: 'Give the path of a local file.' };
  }

  override async reach(): Promise<void> {
    await reachFile(this.params.jsonPath);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const target = requirePublisher(publisher, this.context.name);
    await new JsonFormat({}, this.context).publish(localFile(this.params.jsonPath), target);
  }
}
