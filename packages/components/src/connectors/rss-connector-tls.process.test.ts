import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectorContext, type Given, withDefaults } from '@headrace/engine';
import { hasOpenssl, makeCertificates } from '@headrace/testing/certificates';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { RSSConnector } from './rss-connector.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-rss-tls-'));
const file = (name: string) => join(folder, name);
const ca = { caFile: file('ca.pem') };
const ours = { certificateFile: file('client.pem'), keyFile: file('client.key') };

type Params = Omit<Given<ConstructorParameters<typeof RSSConnector>[0]>, 'rssURL'>;

describe.skipIf(!hasOpenssl())('a feed over TLS (needs the command openssl)', () => {
  beforeAll(() => makeCertificates(folder));
  afterAll(() => rmSync(folder, { recursive: true }));

  /**
   * Checks the feed as `validate --connect` does, and then returns its ids. The server may require a client
   * certificate.
   */
  async function read(params: Params, demands: boolean): Promise<string[]> {
    const server = await StubServer.start(
      (_, response) => void response.end('<rss version="2.0"><channel><item><guid>1</guid></item></channel></rss>'),
      {
        key: readFileSync(file('server.key')),
        cert: readFileSync(file('server.pem')),
        ca: readFileSync(file('ca.pem')),
        requestCert: demands,
        rejectUnauthorized: demands,
      },
    );
    const publisher = new CollectingPublisher();
    const context = {
      name: 'c',
      docIdPrefix: '',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      signal: publisher.signal,
    };
    const make = () =>
      new RSSConnector(
        withDefaults(RSSConnector.parameters, { rssURL: `${server.url}/`, ...params }),
        context as ConnectorContext,
      );
    const connector = make();
    try {
      await make().reach(undefined, publisher.signal);
      await connector.execute(publisher);
      return publisher.documents.map(({ id }) => id);
    } finally {
      await connector.close();
      await server.close();
    }
  }

  it.each<[string, Params, boolean, RegExp | undefined]>([
    ['with an unknown certificate authority', {}, false, /the certificate of the server is not trusted/],
    ['with a named certificate authority', { tls: ca }, false, undefined],
    ['of any certificate', { acceptInvalidCert: true }, false, undefined],
    ['without the required client certificate', { tls: ca }, true, /failed/],
    ['with the required client certificate', { tls: { ...ca, ...ours } }, true, undefined],
    ['with a missing certificate file', { tls: { caFile: file('none.pem') } }, false, /none\.pem, cannot be read/],
    [
      'with a file without a certificate',
      { tls: { caFile: file('ca.key') } },
      false,
      /ca\.key, contains no certificate/,
    ],
  ])('%s', async (_, params, demands, message) => {
    if (message === undefined) expect(await read(params, demands)).toEqual(['1']);
    else
      await expect(read(params, demands)).rejects.toMatchObject({
        code: 'HR_SOURCE_UNREADABLE',
        message: expect.stringMatching(message),
      });
  });
});
