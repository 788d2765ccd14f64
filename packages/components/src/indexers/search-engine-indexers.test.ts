import type { IndexerSettings, ParameterProblem } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { ElasticsearchIndexer } from './elasticsearch-indexer.ts';
import { OpenSearchIndexer } from './opensearch-indexer.ts';
import { SolrIndexer } from './solr-indexer.ts';

const problemsOf = (problems: Iterable<ParameterProblem>) =>
  [...problems].map(({ severity = 'error', block, parameter, message }) => {
    const place = [block ?? [], parameter].flat().join('.');
    return `${severity} ${place}: ${message}`;
  });
const at = { url: 'http://localhost:9200', index: 'i' };
const settings = (some: Partial<IndexerSettings>) => some as IndexerSettings;

describe('the check of OpenSearchIndexer and ElasticsearchIndexer', () => {
  it('reports mistakes in the address and the version settings', () => {
    expect(problemsOf(OpenSearchIndexer.check({ url: 'localhost', index: ' ' }, settings({})))).toEqual([
      'error url: opensearch.url must be an http or https URL',
      'error index: opensearch.index must not be empty',
    ]);
    expect(problemsOf(OpenSearchIndexer.check(at, settings({ versionField: 'v' })))).toEqual([
      'error indexer.versionField: indexer.versionField requires indexer.versionType to be set.',
    ]);
    expect(problemsOf(ElasticsearchIndexer.check(at, settings({ versionField: 'v' })))).toEqual([
      'warning indexer.versionField: indexer.versionField has no effect without indexer.versionType',
    ]);
    const external = settings({ versionType: 'external_gte', versionField: 'v' });
    expect(problemsOf(OpenSearchIndexer.check({ ...at, update: true }, external))).toEqual([
      'error indexer.versionType: Search engines refuse external versions for updates',
    ]);
    expect(problemsOf(ElasticsearchIndexer.check(at, external))).toEqual([]);
    expect(problemsOf(ElasticsearchIndexer.check(at, settings({ versionType: 'Force' })))).toEqual([
      'error indexer.versionType: Search engines no longer support the version type force',
    ]);
  });

  it('reports mistakes in joins', () => {
    const check = (join: Record<string, string>) =>
      problemsOf(ElasticsearchIndexer.check({ ...at, join: new Map(Object.entries(join)) }, settings({})));
    expect(check({ joinFieldName: 'j', parentName: 'p' })).toEqual([]);
    expect(check({ joinFieldName: 'j', isChild: 'true', childName: 'c', parentDocumentIdSource: 'of' })).toEqual([]);
    expect(check({ isChild: 'true', childName: 'c', parent: 'x' })).toEqual([
      'error join.parent: Config contains unknown property parent',
      'error join: join of children is missing required property joinFieldName',
      'error join: join of children is missing required property parentDocumentIdSource',
    ]);
    expect(check({ joinFieldName: 'j', parentName: 'p', isChild: 'maybe' })).toEqual([
      'error join.isChild: isChild must be true or false, was "maybe"',
    ]);
  });
});

describe('the check of SolrIndexer', () => {
  const check = (params: object, some: Partial<IndexerSettings> = {}) =>
    problemsOf(SolrIndexer.check(params as never, settings(some)));

  it('accepts addresses of a core and of a cloud', () => {
    expect(check({ url: 'http://h:8983/solr/core' })).toEqual([]);
    expect(check({ url: ['http://h:8983/solr'], useCloudClient: true, defaultCollection: 'c' })).toEqual([]);
    expect(check({ zkHosts: ['z:2181'], useCloudClient: true }, { indexOverrideField: 'i' })).toEqual([]);
  });

  it('rejects invalid addresses', () => {
    expect(check({})).toEqual(['error url: Config is missing required property url']);
    expect(check({ url: 'http://h:8983/solr/' })).toEqual(['error url: url does not name the core']);
    expect(check({ url: 'h:8983' })).toEqual(['error url: url must be an http or https URL']);
    expect(check({ url: ['http://h/solr/a', 'http://i/solr/a'] })).toEqual([
      'warning url: Only the first URL is used: a standalone Solr has one',
    ]);
    expect(check({ useCloudClient: true })).toEqual([
      'error useCloudClient: A SolrCloud needs url or zkHosts',
      'error useCloudClient: A SolrCloud needs defaultCollection, or indexer.indexOverrideField',
    ]);
  });

  it('refuses sync if the field run_id is not sent: all documents would be deleted', () => {
    const params = { url: 'http://h/solr/a', sync: { deleteMissing: true, maxDeletePercent: 100 } };
    expect(check(params, { whitelist: ['run_id'] })).toEqual([]);
    for (const hidden of [{ whitelist: ['title'] }, { blacklist: ['run_id'] }]) {
      expect(check(params, hidden)).toEqual([expect.stringContaining('run_id, which is not sent')]);
    }
  });

  it('reports settings without an effect', () => {
    const found = check({ url: 'http://h/solr/a', userName: 'u' }, { routingField: 'r' });
    expect(found).toEqual([
      'warning userName: userName has no effect without password',
      "warning indexer.routingField: Config setting 'indexer.routingField' has no effect with SolrIndexer: Solr has no such setting",
    ]);
  });
});
