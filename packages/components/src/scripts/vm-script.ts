import { constants, createContext, Script } from 'node:vm';
import { type Document, HeadraceError, type Logger } from '@headrace/engine';
import { DocumentHost } from './document-host.ts';
import { scriptError } from './script-error.ts';
import { type openRealm, REALM_SOURCE, type Realm } from './script-realm.ts';
import { wrapScript } from './wrap-script.ts';

/**
 * The mistake that keeps a text from being a script, with its line; undefined when it is one.
 *
 * @param name of the script, for the message
 */
export function syntaxMistake(source: string, name: string): string | undefined {
  try {
    // As it stands, so that what only the wrapping makes legal (`return`, `}{`) is refused.
    new Script(source, { filename: name });
    compile(source, name);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const line = error.stack?.split('\n', 1)[0]?.match(/:(\d+)$/)?.[1];
    return line === undefined ? `${name}: ${error.message}` : `${name}, line ${line}: ${error.message}`;
  }
}

/**
 * A script of a trusted config, in the thread of its pipeline. It sees the document and ECMAScript, nothing of Node;
 * but this is no sandbox: nothing bounds its time and memory.
 */
export class VmScript {
  private readonly name: string;
  private readonly host: DocumentHost;
  private readonly realm: Realm;

  /** @throws HeadraceError when the text is no script */
  constructor(source: string, name: string, logger: Logger) {
    this.name = name;
    this.host = new DocumentHost(logger);
    const mistake = syntaxMistake(source, name);
    if (mistake !== undefined) throw new HeadraceError('HR_STAGE_START', mistake);
    // An ordinary global object: one that Node watches would cost at every access.
    const context = createContext(constants.DONT_CONTEXTIFY);
    const open = new Script(REALM_SOURCE, { filename: 'headrace' }).runInContext(context) as typeof openRealm;
    this.realm = open(this.host);
    this.realm.load(compile(source, name).runInContext(context));
  }

  run(document: Document): void {
    this.host.document = document;
    const failure = this.realm.run();
    this.host.document = undefined;
    if (failure !== undefined) throw scriptError(failure, this.name);
  }
}

function compile(source: string, name: string): Script {
  const { text, columnOffset } = wrapScript(source);
  return new Script(text, { filename: name, columnOffset: -columnOffset });
}
