import { parse } from '@headrace/hocon';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConfigIdentity, configIdentity, nameOf, ownerOf, topicPrefix } from './config-identity.ts';
import { isTopicName } from './topic-name.ts';

const identity = (text: string, configId?: string, group = 'films') =>
  configIdentity(parse(text).value as Record<string, unknown>, group, configId, 'opensearch');

const CONFIG = `
  connectors: [{ class: CSVConnector, name: c, pipeline: p, path: a.csv }]
  pipelines: [{ name: p, stages: [] }]
  indexer { type: OpenSearch, batchSize: 100 }
  opensearch { url: "https://u:secret@search:9200/?key=secret", index: films }`;

describe('the identity of a config', () => {
  it.each([
    ['other passwords', CONFIG.replaceAll('secret', 'other')],
    ['another format and comments', CONFIG.replaceAll('  ', '\t').replace('indexer {', '# a comment\nindexer: {')],
    ['other sources and stages', `${CONFIG}\npipelines: [{ name: p, stages: [{ class: Trim }] }]\nconnectors: []`],
    ['another spelling of the address', CONFIG.replace('https://u:secret@search:9200/', 'HTTPS://u:a,b?c@SEARCH:9200')],
    ['another batch size', `${CONFIG}\nindexer.batchSize: 7`],
  ])('is the same with %s', (_, text) => {
    expect(ownerOf(identity(text), identity(CONFIG))).toBe('own');
  });

  it('is another with another index, unless both have a configId', () => {
    const other = `${CONFIG}\nopensearch.index: books`;
    expect(ownerOf(identity(other), identity(CONFIG))).toBe('same group');
    expect(ownerOf(identity(other, 'x'), identity(CONFIG, 'x'))).toBe('own');
    expect(ownerOf(identity(CONFIG, 'y'), identity(CONFIG, 'x'))).toBe('same group');
  });

  it('is another with another group, which reads its messages itself', () => {
    expect(ownerOf(identity(CONFIG, undefined, 'books'), identity(CONFIG))).toBe('other group');
  });

  it.each([undefined, {}, 'films', { id: 7, group: 'g' }])(
    'is not compared with the identity %j of another program',
    (of) => {
      expect(ownerOf(of as unknown as ConfigIdentity, identity(CONFIG))).toBe('own');
    },
  );

  it('names the destination, without secrets', () => {
    expect(nameOf(identity(CONFIG))).toBe('films (OpenSearch, url https://search:9200, index films)');
    expect(nameOf(identity(CONFIG, 'shop'))).toBe('shop');
  });

  it('is a part of topic names, also with characters that brokers refuse', () => {
    fc.assert(
      fc.property(unicodeText({ maxLength: 100 }), fc.string({ maxLength: 100 }), (one, two) => {
        const [a, b] = [one, two].map((id) => topicPrefix({ id, group: 'g' }));
        expect(isTopicName(`${a}_p`)).toBe(true);
        expect(a === b).toBe(one === two);
      }),
    );
  });
});
