import { type Document, messageOf, type StageContext } from '@headrace/engine';

/** Reports the documents that a stage does not change because of their content. */
export class UnchangedDocuments {
  readonly #context: Pick<StageContext, 'log' | 'notices'>;
  readonly #what: string;

  /** @param what the problem of the documents, such as `field "xml" is not XML` */
  constructor(context: Pick<StageContext, 'log' | 'notices'>, what: string) {
    this.#context = context;
    this.#what = what;
  }

  add(document: Document, reason: unknown): void {
    const { log, notices } = this.#context;
    const hint = `${this.#what}: ${messageOf(reason)}`;
    notices.report('stage.unchanged', { document: document.id, hint });
    log.debug(`Document ${document.id} is not changed: ${hint}`);
  }
}
