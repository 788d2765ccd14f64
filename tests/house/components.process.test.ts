import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { catalogUrl } from '@headrace/components';
import { ownFields, readCatalog, type SpecField } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { referenceComponents } from '../golden/golden-cases.ts';
import { root } from './repository.ts';

const entries = readCatalog(catalogUrl);

/** Parameters that the reference lacks, nested ones as `outer.inner`, and why Headrace has them. */
const ADDED: Readonly<Record<string, string>> = {
  's3.endpoint': 'servers that speak the protocol of S3',
  'gcp.endpoint': 'servers that speak the protocol of Google Cloud Storage',
  's3.tls': 'private authorities and client certificates',
  's3.acceptInvalidCert': 'servers of tests',
  'azure.tls': 'private authorities and client certificates',
  'azure.acceptInvalidCert': 'servers of tests',
  'gcp.tls': 'private authorities and client certificates',
  'gcp.acceptInvalidCert': 'servers of tests',
  'fileOptions.maxArchiveDepth': 'the reference leaves archives in archives closed',
  'kafka.consumer': 'without it there is no TLS and no SASL',
  'kafka.securityProtocol': 'without it there is no TLS and no SASL',
};

/** Those of single components, by component and block, and why. */
const ADDED_TO: readonly { readonly to: readonly string[]; readonly names: readonly string[]; readonly why: string }[] =
  [
    {
      to: [
        'ElasticsearchIndexer ',
        'OpenSearchIndexer ',
        'ElasticsearchLookup elasticsearch.',
        'QueryOpensearch opensearch.',
      ],
      names: ['userName', 'password', 'apiKey', 'bearerToken', 'tls'],
      why: 'the reference knows a user in the URL only, and no certificates',
    },
    {
      to: ['SolrIndexer ', 'SolrConnector solr.'],
      names: ['bearerToken', 'tls'],
      why: 'the reference knows basic authentication and stores of Java only',
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
      to: ['CSVConnector ', 'JSONConnector '],
      names: ['encoding', 'onInvalidBytes', 'maxLinesPerCell'],
      why: 'the reference reads every CSV and JSON file as UTF-8, and a quote in the wrong place joins rows',
    },
    { to: ['XMLConnector '], names: ['onInvalidBytes'], why: 'the reference never fails a file for its bytes' },
    { to: ['RSSConnector '], names: ['tls', 'acceptInvalidCert'], why: 'feeds inside of a company' },
    { to: ['RSSConnector '], names: ['state'], why: 'the reference remembers nothing between runs' },
    { to: ['OpenAIEmbed '], names: ['baseUrl'], why: 'a different server for each stage' },
  ];

/** Classes of the reference that its list lacks: optional components, and one that was not built with the rest. */
const NOT_LISTED = ['ApplyJavascript', 'EmbeddedPython', 'MatchQuery'];

/** A parameter as far as the reference describes it. */
interface PlainField {
  readonly name: string;
  readonly required: boolean;
  readonly type: unknown;
}

describe('the parameters of built-in components are those of the reference', () => {
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

  it('whose Java names it has', () => {
    const strangers = entries.filter(({ aliases }) => aliases.some((alias) => !byClass.has(alias)));
    expect(strangers.filter(({ name }) => !NOT_LISTED.includes(name)).map(({ name }) => name)).toEqual([]);
  });
});

describe('the documentation', () => {
  it.each(entries.map((entry) => ({ name: entry.name, entry })))('of $name describes every parameter', ({ entry }) => {
    expect(entry.description, 'the class has no doc comment').toMatch(/\S/);
    expect(undescribed(ownFields(entry)), 'put a doc comment before the parameter in the schema').toEqual([]);
  });
});

describe('listing the components', () => {
  it('reads only one file: no module of theirs is loaded, and loading them all loads no heavy library', () => {
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

/** @param component the component of the fields, if it is ours: without the fields that we have added */
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

/** The names of the parameters that have no description, nested ones as `outer.inner`. */
function undescribed(fields: readonly SpecField[], prefix = ''): string[] {
  return fields.flatMap(({ name, type, description }) => [
    ...(description === undefined ? [`${prefix}${name}`] : []),
    ...('child' in type ? undescribed(type.child.fields, `${prefix}${name}.`) : []),
  ]);
}
