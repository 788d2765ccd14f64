import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootOf } from './config-root.test.lib.ts';
import { readKafkaSettings } from './kafka-settings.ts';

const BLOCK = {
  bootstrapServers: 'localhost:9092',
  consumerGroupId: 'films',
  maxPollIntervalSecs: 300,
  maxRequestSize: 1_000_000,
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-properties-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(text: string, more: object = {}) {
  const file = join(folder, 'client.properties');
  writeFileSync(file, text);
  return readKafkaSettings(rootOf({ kafka: { ...BLOCK, consumerPropertyFile: file, ...more } }));
}

describe('a property file of a kafka block', () => {
  it('sets the properties of its client only, in every form that Java reads', () => {
    const text = [
      '# a comment with sasl.mechanism=WRONG',
      'security.protocol=SASL_SSL',
      '  sasl.mechanism : SCRAM-SHA-512',
      'client.id ingest\\u0041',
      'sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\',
      '    username="a" password="b\\\\c";',
    ].join('\n');
    const { settings, problems } = read(text);
    expect(problems).toEqual([]);
    expect(Object.fromEntries(settings?.consumer ?? [])).toEqual({
      'metadata.max.age.ms': '30000',
      'security.protocol': 'SASL_SSL',
      'sasl.mechanism': 'SCRAM-SHA-512',
      'client.id': 'ingestA',
      'sasl.jaas.config':
        'org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="b\\c";',
    });
    expect([settings?.producer, settings?.admin]).toEqual([new Map(), new Map()]);
  });

  it('has less priority than the block of the client, and more than securityProtocol', () => {
    const consumer = { sasl: { mechanism: 'PLAIN' } };
    const { settings } = read('sasl.mechanism=SCRAM-SHA-256\nsecurity.protocol=SSL', {
      consumer,
      securityProtocol: 'PLAINTEXT',
    });
    expect(settings?.consumer).toEqual(
      new Map([
        ['security.protocol', 'SSL'],
        ['metadata.max.age.ms', '30000'],
        ['sasl.mechanism', 'PLAIN'],
      ]),
    );
    expect(settings?.admin).toEqual(new Map([['security.protocol', 'PLAINTEXT']]));
  });

  it('is a problem with its line if it is invalid, and with its name if it does not exist', () => {
    const file = join(folder, 'client.properties');
    expect(read('a=1\nb=\\u00').problems).toMatchObject([
      {
        path: 'kafka.consumerPropertyFile',
        message: `The property file ${file}, line 2: \\u must be followed by four hexadecimal digits`,
        hint: expect.stringContaining('\\u0041'),
      },
    ]);
    expect(read('', { adminPropertyFile: join(folder, 'none') })).toMatchObject({
      settings: undefined,
      problems: [
        {
          path: 'kafka.adminPropertyFile',
          message: expect.stringContaining(`The property file ${folder}/none cannot be read: ENOENT`),
          hint: expect.any(String),
        },
      ],
    });
  });
});
