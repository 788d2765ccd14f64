import { type IndexerSettings, type ParameterProblem, withDefaults } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { ElasticsearchIndexer } from './elasticsearch-indexer.ts';
import { OpenSearchIndexer } from './opensearch-indexer.ts';
import { PostgresIndexer } from './postgres-indexer.ts';
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
    expect(
      problemsOf(
        OpenSearchIndexer.check(
          withDefaults(OpenSearchIndexer.parameters, { url: 'localhost', index: ' ' }),
          settings({}),
        ),
      ),
    ).toEqual([
      'error url: opensearch.url must be an http or https URL',
      'error index: opensearch.index must not be empty',
    ]);
    expect(
      problemsOf(
        OpenSearchIndexer.check(withDefaults(OpenSearchIndexer.parameters, at), settings({ versionField: 'v' })),
      ),
    ).toEqual(['error indexer.versionField: indexer.versionField requires indexer.versionType to be set.']);
    expect(
      problemsOf(
        ElasticsearchIndexer.check(withDefaults(ElasticsearchIndexer.parameters, at), settings({ versionField: 'v' })),
      ),
    ).toEqual(['warning indexer.versionField: indexer.versionField has no effect without indexer.versionType']);
    const external = settings({ versionType: 'external_gte', versionField: 'v' });
    expect(
      problemsOf(
        OpenSearchIndexer.check(withDefaults(OpenSearchIndexer.parameters, { ...at, update: true }), external),
      ),
    ).toEqual(['error indexer.versionType: Search engines refuse external versions for updates']);
    expect(problemsOf(ElasticsearchIndexer.check(withDefaults(ElasticsearchIndexer.parameters, at), external))).toEqual(
      [],
    );
    expect(
      problemsOf(
        ElasticsearchIndexer.check(
          withDefaults(ElasticsearchIndexer.parameters, at),
          settings({ versionType: 'Force' }),
        ),
      ),
    ).toEqual(['error indexer.versionType: Search engines no longer support the version type force']);
  });

  it('reports what a data stream cannot do', () => {
    const check = (params: object, some: Partial<IndexerSettings> = {}) =>
      problemsOf(
        ElasticsearchIndexer.check(
          withDefaults(ElasticsearchIndexer.parameters, { ...at, dataStream: true, ...params } as never),
          settings(some),
        ),
      );
    const json = new Map<string, unknown>();
    expect(check({ create: { templates: new Map([['t', 't.json']]) } })).toEqual([]);
    expect(check({ update: true, create: { settings: json, mappingsFile: 'm.json' } })).toEqual([
      'error create.settings: create.settings has no effect for a data stream, which takes its settings and mappings from its index template',
      'error create.mappingsFile: create.mappingsFile has no effect for a data stream, which takes its settings and mappings from its index template',
      'error update: A data stream only adds documents: existing documents cannot be updated',
    ]);
    expect(check({ rebuild: {} })).toEqual([
      'error rebuild: A rebuild writes to a new index and moves an alias to it, which a data stream cannot do',
    ]);
    const deletes = { deletionMarkerField: 'd', deletionMarkerFieldValue: 'true' };
    expect(check({}, deletes)).toEqual([
      'error indexer.deletionMarkerField: A data stream only adds documents: no document can be deleted by its id',
    ]);
    expect(check({}, { ...deletes, deleteByFieldField: 'f', deleteByFieldValue: 'v' })).toEqual([]);
    const join = new Map(Object.entries({ joinFieldName: 'j', parentName: 'p' }));
    expect(check({ join })).toEqual(['error join: A join works within one index, but a data stream has several']);
  });

  it('permits templates for a name with placeholders, but no settings', () => {
    const named = { ...at, index: 'logs-{day}' };
    const check = (create: object) =>
      problemsOf(
        OpenSearchIndexer.check(
          withDefaults(OpenSearchIndexer.parameters, { ...named, create } as never),
          settings({}),
        ),
      );
    expect(check({ templates: new Map([['t', 't.json']]) })).toEqual([]);
    expect(check({ mappings: new Map() })).toEqual([
      'error create: create needs one index with a fixed name, was "logs-{day}"',
    ]);
  });

  it('reports mistakes in joins', () => {
    const check = (join: Record<string, string>) =>
      problemsOf(
        ElasticsearchIndexer.check(
          withDefaults(ElasticsearchIndexer.parameters, { ...at, join: new Map(Object.entries(join)) }),
          settings({}),
        ),
      );
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
    problemsOf(SolrIndexer.check(withDefaults(SolrIndexer.parameters, params as never), settings(some)));

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

  it('reports that documents are sent without the field by which deleteMissing finds them', () => {
    const sync = { deleteMissing: true };
    const problem =
      'error sync.deleteMissing: deleteMissing finds old documents by the field run_id, which is not sent';
    expect(check({ url: 'http://h/solr/a', sync }, { blacklist: ['run_id'] })).toEqual([problem]);
    const table = { connectionString: 'jdbc:postgresql://h/d', table: 't', sync } as never;
    expect(problemsOf(PostgresIndexer.check(table, settings({ whitelist: ['id'] })))).toEqual([problem]);
    expect(problemsOf(PostgresIndexer.check(table, settings({})))).toEqual([]);
  });

  it('reports settings without an effect', () => {
    const found = check({ url: 'http://h/solr/a', userName: 'u' }, { routingField: 'r' });
    expect(found).toEqual([
      'warning userName: userName has no effect without password',
      "warning indexer.routingField: Config setting 'indexer.routingField' has no effect with SolrIndexer: Solr has no such setting",
    ]);
  });
});
