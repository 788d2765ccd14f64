import { HeadraceError, type Publisher } from '@headrace/engine';

/** Returns the publisher of a connector that creates documents. Throws `HR_CONNECTOR_FAILED` if it has none. */
export function requirePublisher(publisher: Publisher | undefined, connector: string): Publisher {
  if (publisher !== undefined) return publisher;
  throw new HeadraceError('HR_CONNECTOR_FAILED', `Connector ${connector} has no pipeline to publish its documents to`, {
    hint: 'Set the parameter pipeline of the connector.',
  });
}
