import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { catalogUrl } from '@headrace/components';
import { ownFields, readCatalog, type SpecField } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { referenceComponents } from '../golden/golden-cases.ts';
import { root } from './repository.ts';

const entries = readCatalog(catalogUrl);

/** Parameters that the Java system lacks, and why Headrace has them. Nested parameters are written `outer.inner`. */
const ADDED: Readonly<Record<string, string>> = {
  's3.endpoint': 'servers that support the S3 protocol',
  'gcp.endpoint': 'servers that support the protocol of Google Cloud Storage',
  's3.tls': 'private certificate authorities and client certificates',
  's3.acceptInvalidCert': 'test servers',
  'azure.tls': 'private certificate authorities and client certificates',
  'azure.acceptInvalidCert': 'test servers',
  'gcp.tls': 'private certificate authorities and client certificates',
  'gcp.acceptInvalidCert': 'test servers',
  's3.anonymous': 'public buckets',
  's3.requesterPays': 'buckets with requester pays',
  's3.sseCustomerKey': 'objects that are encrypted with a key of the customer',
  'azure.anonymous': 'public containers',
  'azure.endpoint': 'other servers without credentials',
  'gcp.anonymous': 'public buckets',
  'gcp.userProject': 'buckets with requester pays',
  'fileOptions.maxArchiveDepth': 'the reference does not open archives inside archives',
  'kafka.consumer': 'required for TLS and SASL',
  'kafka.securityProtocol': 'required for TLS and SASL',
};

/** Parameters that Headrace added to single components, by component and block, and why. */
const ADDED_TO: readonly { readonly to: readonly string[]; readonly names: readonly string[]; readonly why: string }[] =
  [
    {
      to: ['ChunkText '],
      names: ['endAtPages'],
      why: 'the reference knows no pages of a text',
    },
    {
      to: [
        'ElasticsearchIndexer ',
        'OpenSearchIndexer ',
        'ElasticsearchLookup elasticsearch.',
        'QueryOpensearch opensearch.',
      ],
      names: ['userName', 'password', 'apiKey', 'bearerToken', 'tls'],
      why: 'the reference accepts a user only in the URL, and no certificates',
    },
    {
      to: ['ElasticsearchIndexer ', 'OpenSearchIndexer '],
      names: ['create', 'rebuild', 'sync'],
      why: 'the reference only writes to an index that exists, and deletes nothing by itself',
    },
    {
      to: ['SolrIndexer '],
      names: ['create', 'rebuild', 'sync'],
      why: 'the reference only writes to a collection that exists, and deletes nothing by itself',
    },
    {
      to: ['SolrIndexer ', 'SolrConnector solr.'],
      names: ['bearerToken', 'tls'],
      why: 'the reference supports only basic authentication and Java key stores',
    },
    {
      to: ['DatabaseConnector '],
      names: ['failOnSQLError'],
      why: 'the reference continues after a failed preSQL or postSQL',
    },
    {
      to: ['DatabaseConnector '],
      names: ['incremental', 'state'],
      why: 'the reference reads everything in each run',
    },
    {
      to: ['DatabaseConnector '],
      names: ['dates', 'decimals'],
      why: 'the reference moves dates to another day and rounds decimals',
    },
    {
      to: ['KafkaConnector '],
      names: ['idFrom', 'tombstones', 'headers', 'unwrap', 'schemaRegistry'],
      why: 'the reference reads only JSON, and ignores keys, headers and deletes',
    },
    {
      to: ['CSVConnector ', 'JSONConnector '],
      names: ['encoding', 'onInvalidBytes', 'maxLinesPerCell'],
      why: 'the reference reads every CSV and JSON file as UTF-8, and a quote in the wrong place joins rows',
    },
    {
      to: ['CSVConnector '],
      names: ['quoteChar', 'skipLines', 'commentPrefix', 'header', 'columns', 'emptyColumns', 'duplicateColumns'],
      why: 'the reference reads only files with one header in the first line',
    },
    {
      to: ['JSONConnector '],
      names: ['recordsPath', 'nonFinite', 'idField', 'docIdFormat'],
      why: 'the reference reads only objects with an id at the top level',
    },
    { to: ['XPathExtractor '], names: ['namespaces'], why: 'the reference finds nothing for names with a prefix' },
    {
      to: ['XMLConnector '],
      names: ['onInvalidBytes'],
      why: 'the reference never rejects a file because of invalid bytes',
    },
    { to: ['RSSConnector '], names: ['tls', 'acceptInvalidCert'], why: 'feeds inside a company network' },
    { to: ['CSVIndexer '], names: ['formulas'], why: 'the reference writes cells that a spreadsheet computes' },
    { to: ['RSSConnector '], names: ['state'], why: 'the reference stores no state between runs' },
    { to: ['OpenAIEmbed '], names: ['baseUrl', 'maxTokens'], why: 'a different server and model for each stage' },
    {
      to: ['ParseDate '],
      names: ['formats', 'locale', 'onNoMatch'],
      why: 'the reference reads names in the locale of the process, and removes other values silently',
    },
    { to: ['TrimWhitespace '], names: ['unicode'], why: 'the reference trims only blanks of ASCII' },
    { to: ['NormalizeFieldNames '], names: ['nested'], why: 'the reference does not change names inside objects' },
    { to: ['FetchUri ', 'OpenAIEmbed '], names: ['cache'], why: 'the reference repeats every request in each run' },
    {
      to: ['ElasticsearchIndexer ', 'OpenSearchIndexer '],
      names: ['skipUnchanged', 'hashesFile'],
      why: 'the reference writes unchanged documents again',
    },
    {
      to: ['ElasticsearchIndexer ', 'OpenSearchIndexer '],
      names: ['dataStream'],
      why: 'the reference cannot write to data streams',
    },
  ];

/** Components of the reference that its list lacks: optional ones, and one that was not built with the others. */
const NOT_LISTED = ['ApplyJavascript', 'EmbeddedPython', 'MatchQuery'];

/** The properties of a parameter that the reference also describes. */
interface PlainField {
  readonly name: string;
  readonly required: boolean;
  readonly type: unknown;
}

describe('the parameters of built-in components equal those of the reference', () => {
  const byClass = new Map(
    Object.values(
      JSON.parse(readFileSync(referenceComponents, 'utf8')) as Record<string, { class: string; fields: SpecField[] }[]>,
    )
      .flat()
      .map((component) => [component.class, component.fields]),
  );

  for (const entry of entries) {
    const fields = entry.aliases.map((alias) => byClass.get(alias)).find((found) => found !== undefined);
    if (fields === undefined) continue;
    it(entry.name, () => {
      expect(plain(entry.fields, entry.name)).toEqual(plain(fields));
    });
  }

  it('components have the Java names of the reference', () => {
    const strangers = entries.filter(({ aliases }) => aliases.some((alias) => !byClass.has(alias)));
    expect(strangers.filter(({ name }) => !NOT_LISTED.includes(name)).map(({ name }) => name)).toEqual([]);
  });
});

describe('the documentation', () => {
  it.each(entries.map((entry) => ({ name: entry.name, entry })))('describes every parameter of $name', ({ entry }) => {
    expect(entry.description, 'the class has no doc comment').toMatch(/\S/);
    expect(undescribed(ownFields(entry)), 'put a doc comment before the parameter in the schema').toEqual([]);
  });
});

describe('listing the components', () => {
  it('reads only one file, and loading all components loads no heavy library', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const packages = new Set();
      registerHooks({ resolve(specifier, context, next) {
        const found = next(specifier, context);
        const inside = found.url.split('/node_modules/').at(-1);
        if (found.url.includes('/node_modules/')) packages.add(inside.split('/').slice(0, inside.startsWith('@') ? 2 : 1).join('/'));
        return found;
      } });
      for (const module of JSON.parse(process.argv[1])) await import(module);
      console.log(JSON.stringify([...packages].sort()));
    `;
    const modules = [...new Set(entries.map((entry) => entry.module))];
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(modules)], {
      cwd: root,
    });
    const light = ['typebox', 'saxes', 'xmlchars'];
    expect((JSON.parse(out.toString()) as string[]).filter((name) => !light.includes(name))).toEqual([]);
  });
});

/**
 * Returns the fields as the reference describes them.
 *
 * @param component a component of Headrace, to omit the fields that Headrace has added to it
 */
function plain(fields: readonly SpecField[], component?: string, prefix = ''): PlainField[] {
  return fields
    .filter(({ name }) => component === undefined || !isAdded(component, prefix, name))
    .map(({ name, required, type }) => ({
      name,
      required,
      type:
        'child' in type ? { type: type.type, child: plain(type.child.fields, component, `${prefix}${name}.`) } : type,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isAdded(component: string, prefix: string, name: string): boolean {
  if (ADDED[prefix + name] !== undefined) return true;
  return ADDED_TO.some(({ to, names }) => to.includes(`${component} ${prefix}`) && names.includes(name));
}

/** Returns the names of the parameters without a description. Nested parameters are written `outer.inner`. */
function undescribed(fields: readonly SpecField[], prefix = ''): string[] {
  return fields.flatMap(({ name, type, description }) => [
    ...(description === undefined ? [`${prefix}${name}`] : []),
    ...('child' in type ? undescribed(type.child.fields, `${prefix}${name}.`) : []),
  ]);
}
