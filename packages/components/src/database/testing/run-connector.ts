import { type Publisher, withDefaults } from '@headrace/engine';
import { DatabaseConnector } from '../../connectors/database-connector.ts';
import { CollectingPublisher } from '../../formats/testing/collecting-publisher.ts';

const NEVER = new AbortController().signal;

/** The settings of a connector in a test. Other settings have defaults. */
export interface ConnectorSettings extends Record<string, unknown> {
  readonly connectionString: string;
  readonly sql: string;
}

export interface RunOptions {
  readonly publisher?: CollectingPublisher & Publisher;
  readonly docIdPrefix?: string;
  readonly preview?: boolean;
}

/** Runs a connector as the engine does. Returns its documents and log messages, and throws its errors. */
export async function runConnector(
  settings: ConnectorSettings,
  options: RunOptions = {},
): Promise<CollectingPublisher> {
  const { publisher = new CollectingPublisher(), docIdPrefix = '', preview = false } = options;
  const params = { driver: 'd', jdbcUser: '', jdbcPassword: '', idField: 'id', connectionRetryPause: 1, ...settings };
  const connector = new DatabaseConnector(withDefaults(DatabaseConnector.parameters, params as never), {
    name: 'c',
    docIdPrefix,
    runId: 'r',
    log: publisher.log,
    notices: publisher.notices,
    signal: NEVER,
    preview,
  });
  try {
    await connector.execute(publisher);
    await connector.markRead({ failed: false });
  } finally {
    await connector.close();
  }
  return publisher;
}
