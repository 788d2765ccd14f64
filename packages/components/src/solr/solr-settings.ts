import { type ParameterProblem, Type } from '@headrace/engine';

const stores = Type.Object(
  {
    keyStore: Type.Optional(Type.String()),
    keyStorePassword: Type.Optional(Type.String()),
    trustStore: Type.Optional(Type.String()),
    trustStorePassword: Type.Optional(Type.String()),
  },
  { flat: true },
);

/** One URL or several. The reference describes a list; its documentation writes a text. */
export const SolrUrls = Type.Union([Type.Array(Type.String()), Type.String()], {
  javaType: 'java.util.List<java.lang.String>',
});

/** The parameters of a block `solr` beside `url`. Those of Java's TLS have dots in their names. */
export const solrParameters = {
  useCloudClient: Type.Optional(Type.Boolean({ default: false })),
  zkHosts: Type.Optional(Type.Array(Type.String())),
  zkChroot: Type.Optional(Type.String()),
  defaultCollection: Type.Optional(Type.String()),
  userName: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  acceptInvalidCert: Type.Optional(Type.Boolean({ default: false })),
  javax: Type.Optional(
    Type.Object({ net: Type.Optional(Type.Object({ ssl: Type.Optional(stores) }, { flat: true })) }, { flat: true }),
  ),
};

/** How to reach Solr, as a block `solr` says it. */
export interface SolrSettings {
  readonly url: string | readonly string[];
  readonly useCloudClient?: boolean;
  readonly zkHosts?: readonly string[];
  readonly defaultCollection?: string;
  readonly userName?: string;
  readonly password?: string;
  readonly acceptInvalidCert?: boolean;
  readonly javax?: {
    readonly net?: {
      readonly ssl?: { readonly keyStore?: string; readonly keyStorePassword?: string; readonly trustStore?: string };
    };
  };
}

/** The URLs without slashes at their ends. */
export function solrUrls({ url }: Pick<SolrSettings, 'url'>): string[] {
  return (typeof url === 'string' ? [url] : url).map((one) => one.trim().replace(/\/+$/, ''));
}

/** Mistakes of a block `solr` that need no server to be found. */
export function* checkSolr(settings: SolrSettings): Generator<ParameterProblem> {
  const urls = solrUrls(settings);
  if (urls.length === 0) yield { parameter: 'solr.url', message: 'solr.url must not be empty', hint: URL_HINT };
  for (const [i, url] of urls.entries()) {
    const parsed = URL.parse(url);
    if (parsed !== null && (parsed.protocol === 'http:' || parsed.protocol === 'https:')) continue;
    const parameter = typeof settings.url === 'string' ? 'solr.url' : `solr.url[${i}]`;
    yield { parameter, message: `${parameter} must be a URL of http or https, was "${url}"`, hint: URL_HINT };
  }
  if (settings.useCloudClient === true && settings.defaultCollection === undefined) {
    yield {
      parameter: 'solr.defaultCollection',
      message: 'useCloudClient needs defaultCollection',
      hint: 'Name the collection, or leave useCloudClient out and put the collection at the end of the URL.',
      atStart: true,
    };
  }
  yield* withoutEffect(settings);
}

const URL_HINT = 'As http://localhost:8983/solr/collection, or with useCloudClient http://localhost:8983/solr.';

function* withoutEffect(settings: SolrSettings): Generator<ParameterProblem> {
  const warn = (parameter: string, message: string, hint: string): ParameterProblem => ({
    parameter: `solr.${parameter}`,
    message,
    hint,
    severity: 'warning',
  });
  const { useCloudClient = false, defaultCollection, userName, password, zkHosts, javax } = settings;
  if (!useCloudClient && defaultCollection !== undefined) {
    yield warn(
      'defaultCollection',
      'defaultCollection has no effect without useCloudClient',
      'Put the collection at the end of the URL, or set useCloudClient.',
    );
  }
  if (zkHosts !== undefined && zkHosts.length > 0) {
    yield warn('zkHosts', 'ZooKeeper is not asked: solr.url says where Solr is', 'List the nodes in solr.url.');
  }
  if ((userName === undefined) !== (password === undefined)) {
    const [given, missing] = userName === undefined ? ['password', 'userName'] : ['userName', 'password'];
    yield warn(given, `${given} has no effect without ${missing}`, `Set ${missing} too.`);
  }
  for (const name of ['keyStore', 'trustStore'] as const) {
    const file = javax?.net?.ssl?.[name];
    if (file === undefined || !isJavaStore(file)) continue;
    yield warn(
      `javax.net.ssl.${name}`,
      `${file} has no effect: a store of Java cannot be read`,
      'Name a PEM file instead; keytool -exportcert -rfc, or openssl pkcs12, writes one.',
    );
  }
}

/** Whether a file, by its name, is one of Java's stores instead of PEM. */
export function isJavaStore(file: string): boolean {
  return /\.(jks|jceks|bcfks|keystore|truststore|p12|pfx|pkcs12)$/i.test(file);
}
