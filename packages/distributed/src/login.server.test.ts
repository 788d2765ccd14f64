import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithOwnServer } from '@headrace/testing/real-server';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-login-'));
const certificate = join(folder, 'broker.pem');
afterAll(() => rmSync(folder, { recursive: true }));

await describeWithOwnServer(
  'kafka',
  (server) => {
    let setup: DistributedSetup;

    beforeEach(async () => {
      setup = await DistributedSetup.open(server.url);
    });
    afterEach(() => setup.close());

    /** Writes a config whose three clients use TLS and this password. */
    const writeConfig = (
      password: string,
      trust = `ssl.truststore.type: PEM, ssl.truststore.location: "${certificate}"`,
    ) => {
      const login = `org.apache.kafka.common.security.plain.PlainLoginModule required username=\\"loader\\" password=\\"${password}\\";`;
      const client = `{ sasl.mechanism: PLAIN, sasl.jaas.config: "${login}"\n${trust} }`;
      setup.writeNumbers('login', 100, {
        kafka: `securityProtocol: SASL_SSL, consumer: ${client}, producer: ${client}, admin: ${client}`,
      });
    };

    it('a distributed run uses TLS and a login in all its processes', async () => {
      writeConfig('right-password');
      setup.start('worker', 'run.conf');
      setup.start('indexer', 'run.conf');
      const run = await setup.run('run', 'run.conf', '--distributed');
      expect(run.summary).toContain('numbers: complete. 100 docs succeeded. 0 docs failed.');
      expect(setup.distinct).toBe(100);
    });

    it.each(['--external', '--distributed'])('run %s reports a wrong password and ends', async (how) => {
      writeConfig('wrong-password');
      const run = await setup.run('run', 'run.conf', how);
      expect(run.output).toMatch(/authentication failed/i);
      expect(run.output).not.toContain('wrong-password');
      expect(await run.ended).toBe(1);
    });

    it('a run sends no password to a broker whose certificate it does not trust', async () => {
      writeConfig('right-password', '');
      const run = await setup.run('run', 'run.conf', '--distributed');
      expect(run.output).toContain('self-signed certificate');
      expect(await run.ended).toBe(1);
    });

    it('a worker reports a wrong password and starts again until it is stopped', async () => {
      writeConfig('wrong-password');
      const worker = setup.start('worker', 'run.conf');
      await worker.says(/authentication failed/i);
      await worker.says('starts again in');
      expect(await worker.signal('SIGTERM')).toBe(0);
      expect(worker.output).not.toContain('wrong-password');
    });
  },
  { KAFKA_LOGIN: 'loader:right-password', KAFKA_CERTIFICATE: certificate },
);
