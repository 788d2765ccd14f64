import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directoryWith, headrace } from './headrace.ts';

const SECRET = 's3cr3t-Value-77';

/** The places of a secret in each indexer config. `http` is an HTTP address, `tcp` an address that closes connections. */
const PLACES: Record<string, (http: string, tcp: string) => string> = {
  'opensearch, url': (http) => `opensearch { index: i, url: "${http.replace('//', `//u:${SECRET}@`)}" }`,
  'opensearch, password': (http) => `opensearch { index: i, url: "${http}", userName: u, password: "${SECRET}" }`,
  'opensearch, apiKey': (http) => `opensearch { index: i, url: "${http}", apiKey: "${SECRET}" }`,
  'elasticsearch, bearerToken': (http) => `elasticsearch { index: i, url: "${http}", bearerToken: "${SECRET}" }`,
  'elasticsearch, tls.keyPassphrase': (http) =>
    `elasticsearch { index: i, url: "${http.replace('http:', 'https:')}", tls { certificateFile: nowhere.pem, keyPassphrase: "${SECRET}" } }`,
  'solr, password': (http) => `solr { url: "${http}/solr/c", userName: u, password: "${SECRET}" }`,
  'solr, bearerToken': (http) => `solr { url: "${http}/solr/c", bearerToken: "${SECRET}" }`,
  'solr, url': (http) => `solr { url: "${http.replace('//', `//u:${SECRET}@`)}/solr/c" }`,
  'http, headers': (http) => `http { url: "${http}", headers { X-Api-Key: "${SECRET}" } }`,
  'http, bearerToken': (http) => `http { url: "${http}", bearerToken: "${SECRET}" }`,
  'http, url': (http) => `http { url: "${http}/?api_key=${SECRET}" }`,
  'postgres, jdbcPassword': (_, tcp) =>
    `postgres { table: t, connectionString: "jdbc:postgresql://${tcp}/db", jdbcUser: u, jdbcPassword: "${SECRET}" }`,
  'postgres, url': (_, tcp) =>
    `postgres { table: t, connectionString: "jdbc:postgresql://${tcp}/db?user=u&password=${SECRET}" }`,
  'kafkaTopic, sasl': (_, tcp) => `kafkaTopic {
    topic: t, bootstrapServers: "${tcp}", securityProtocol: SASL_PLAINTEXT
    producer { sasl.mechanism: PLAIN, sasl.jaas.config: "X required username=\\"u\\" password=\\"${SECRET}\\";" }
  }`,
};

const TYPES: Record<string, string> = { kafkaTopic: 'Kafka' };

/** Servers that reject requests: `refusing` all, `fickle` all but the first check. Both echo what they received. */
let refusing: Server;
let fickle: Server;
let hangingUp: ReturnType<typeof createTcpServer>;

const refuser = (isWelcome: (method: string, url: string) => boolean) =>
  createServer((request, response) => {
    if (isWelcome(request.method ?? '', request.url ?? '')) {
      response.end('{"responseHeader":{"status":0}}');
      return;
    }
    const [, basic] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    const heard = { ...request.headers, decoded: Buffer.from(basic ?? '', 'base64').toString() };
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { msg: JSON.stringify(heard), reason: JSON.stringify(heard) } }));
  });

beforeAll(async () => {
  refusing = refuser(() => false);
  fickle = refuser((method, url) => method === 'HEAD' || url.includes('/admin/ping'));
  hangingUp = createTcpServer((socket) => socket.destroy());
  for (const server of [refusing, fickle, hangingUp]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
});
afterAll(() => {
  for (const server of [refusing, fickle, hangingUp]) server.close();
});

const addressOf = (server: { address(): unknown }) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

function configOf(place: string, http: Server): string {
  const block = place.split(',')[0] as string;
  return `connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 3 }]
    pipelines: [{ name: p, stages: [] }]
    indexer { type: ${TYPES[block] ?? block}, maxRetries: 1, retryWaitDurationMs: 1, connectTimeout: 200 }
    ${PLACES[place]?.(`http://${addressOf(http)}`, addressOf(hangingUp))}`;
}

describe.each(Object.keys(PLACES))('the secret in %s', (place) => {
  it('is in no output about a run that cannot write', async () => {
    const isHttp = configOf(place, refusing) !== configOf(place, fickle);
    for (const server of isHttp ? [refusing, fickle] : [refusing]) {
      const cwd = directoryWith({ 'c.conf': configOf(place, server) });
      const { code, stdout, stderr } = await headrace(['run', 'c.conf'], { cwd });
      const said = stdout + stderr;
      expect(said).toMatch(/could not connect|docs failed|FAILED/);
      expect(code).not.toBe(2);
      expect(said).not.toContain(SECRET);
      expect(said).not.toContain(Buffer.from(`u:${SECRET}`).toString('base64'));
    }
  });

  it('is neither in a problem of the config nor in the output of render', async () => {
    const wrong = configOf(place, refusing).replace(/\}\s*$/, ', nonsense: 1 }');
    const cwd = directoryWith({ 'c.conf': wrong });
    const validated = await headrace(['validate', 'c.conf'], { cwd });
    expect(validated.stdout + validated.stderr).toContain('nonsense');
    const rendered = await headrace(['render', 'c.conf'], { cwd });
    expect(rendered.stdout).toContain('SequenceConnector');
    for (const { stdout, stderr } of [validated, rendered]) expect(stdout + stderr).not.toContain(SECRET);
  });
});
