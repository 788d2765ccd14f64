import { CONNECTS, FLAT, type ParameterProblem, Type } from '@headrace/engine';
import { checkServerAccess, type ServerAccess, tlsParameter } from '../http/server-access.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';

const stores = Type.Object(
  {
    /**
     * A PEM file with the certificate of the client and its key. Java key stores cannot be read; openssl pkcs12 -in
     * store.p12 -out store.pem converts one.
     */
    keyStore: Type.Optional(Type.String()),
    /** The password of the key in keyStore. */
    keyStorePassword: Type.Optional(Type.String()),
    /**
     * A PEM file with certificates of authorities to trust, in addition to those of the system. Java key stores cannot
     * be read.
     */
    trustStore: Type.Optional(Type.String()),
    /** Accepted for older configs, without effect: PEM files of authorities have no password. */
    trustStorePassword: Type.Optional(Type.String()),
  },
  FLAT,
);

/** One URL or several. The reference declares a list; its documentation uses a text. */
export const SolrUrls = Type.Union([Type.Array(Type.String(CONNECTS)), Type.String(CONNECTS)], {
  javaType: 'java.util.List<java.lang.String>',
});

/** The parameters of a block `solr`, except `url`. Those for Java's TLS have dots in their names. */
export const solrParameters = {
  /** Whether the URLs are those of nodes of SolrCloud. The collection is then defaultCollection. */
  useCloudClient: Type.Boolean({ default: false }),
  /**
   * The ZooKeeper of a SolrCloud, as host:port, which lists the live nodes. With useCloudClient it takes precedence
   * over url.
   */
  zkHosts: Type.Optional(Type.Array(Type.String(CONNECTS))),
  /** The path in ZooKeeper below which Solr keeps its state. Defaults to the root. */
  zkChroot: Type.Optional(Type.String()),
  /**
   * The collection of a SolrCloud, for documents that name no other. Required with useCloudClient, without effect
   * otherwise.
   */
  defaultCollection: Type.Optional(Type.String()),
  /** The user for basic authentication; needs password. */
  userName: Type.Optional(Type.String()),
  /** The password of the user. Read it from the environment: ${SOLR_PASSWORD}. */
  password: Type.Optional(Type.String()),
  /** A token, instead of user and password: it is sent as Authorization: Bearer …. */
  bearerToken: Type.Optional(Type.String()),
  /** The certificates for TLS, as PEM files. */
  tls: tlsParameter,
  /** Whether to accept any certificate of the server, for tests only. */
  acceptInvalidCert: Type.Boolean({ default: false }),
  javax: Type.Optional(Type.Object({ net: Type.Optional(Type.Object({ ssl: Type.Optional(stores) }, FLAT)) }, FLAT)),
};

/** The connection settings of a block `solr`. */
export interface SolrSettings extends Omit<ServerAccess, 'apiKey'> {
  readonly url: string | readonly string[];
  readonly useCloudClient?: boolean;
  readonly zkHosts?: readonly string[];
  readonly zkChroot?: string;
  readonly defaultCollection?: string;
  readonly javax?: {
    readonly net?: {
      readonly ssl?: { readonly keyStore?: string; readonly keyStorePassword?: string; readonly trustStore?: string };
    };
  };
}

/** Returns the URLs without slashes at the end. */
export function solrUrls({ url }: Pick<SolrSettings, 'url'>): string[] {
  return (typeof url === 'string' ? [url] : url).map((one) => withoutEndSlashes(one.trim()));
}

/** Returns the client's credentials and the trusted servers: `tls`, or the Java settings for them. */
export function solrAccess({
  userName,
  password,
  bearerToken,
  acceptInvalidCert,
  tls,
  javax,
}: SolrSettings): ServerAccess {
  const { keyStore, keyStorePassword, trustStore } = javax?.net?.ssl ?? {};
  return {
    userName,
    password,
    bearerToken,
    acceptInvalidCert,
    tls: {
      ...(trustStore === undefined || isJavaStore(trustStore) ? {} : { caFile: trustStore }),
      ...(keyStore === undefined || isJavaStore(keyStore) ? {} : { certificateFile: keyStore }),
      ...(keyStorePassword === undefined ? {} : { keyPassphrase: keyStorePassword }),
      ...tls,
    },
  };
}

/** Reports mistakes in a block `solr` that can be found without the server. */
export function* checkSolr(settings: SolrSettings): Generator<ParameterProblem> {
  const urls = solrUrls(settings);
  const asksZooKeeper = settings.useCloudClient === true && (settings.zkHosts ?? []).length > 0;
  if (urls.length === 0 && !asksZooKeeper)
    yield { parameter: 'solr.url', message: 'solr.url must not be empty', hint: URL_HINT };
  for (const [i, url] of urls.entries()) {
    const parsed = URL.parse(url);
    if (parsed !== null && (parsed.protocol === 'http:' || parsed.protocol === 'https:')) continue;
    const parameter = typeof settings.url === 'string' ? 'solr.url' : `solr.url[${i}]`;
    yield { parameter, message: `${parameter} must be an http or https URL, was "${url}"`, hint: URL_HINT };
  }
  if (settings.useCloudClient === true && settings.defaultCollection === undefined) {
    yield {
      parameter: 'solr.defaultCollection',
      message: 'useCloudClient needs defaultCollection',
      hint: 'Set defaultCollection, or remove useCloudClient and put the collection at the end of the URL.',
      atStart: true,
    };
  }
  yield* withoutEffect(settings);
}

const URL_HINT = 'Use http://localhost:8983/solr/collection, or with useCloudClient http://localhost:8983/solr.';

function* withoutEffect(settings: SolrSettings): Generator<ParameterProblem> {
  const warn = (parameter: string, message: string, hint: string): ParameterProblem => ({
    parameter: `solr.${parameter}`,
    message,
    hint,
    severity: 'warning',
  });
  const { useCloudClient, defaultCollection, zkHosts } = settings;
  if (!useCloudClient && defaultCollection !== undefined) {
    yield warn(
      'defaultCollection',
      'defaultCollection has no effect without useCloudClient',
      'Put the collection at the end of the URL, or set useCloudClient.',
    );
  }
  if (!useCloudClient && zkHosts !== undefined && zkHosts.length > 0) {
    yield warn(
      'zkHosts',
      'zkHosts has no effect without useCloudClient: solr.url is used',
      'Set useCloudClient and defaultCollection, or remove zkHosts.',
    );
  }
  yield* checkSolrSettings(settings, solrUrls(settings), 'solr');
}

/**
 * Reports mistakes in the credentials and TLS settings. `block` is the block of the parameters; '' means the current
 * block.
 */
export function* checkSolrSettings(
  settings: Omit<SolrSettings, 'url'>,
  urls: readonly string[],
  block: 'solr' | '',
): Generator<ParameterProblem> {
  yield* checkServerAccess(block === '' ? '' : `${block}.`, urls, settings);
  yield* javaStores(settings, block);
}

/** Warns about files that only Java can read. */
function* javaStores({ javax }: Omit<SolrSettings, 'url'>, block: 'solr' | ''): Generator<ParameterProblem> {
  for (const name of ['keyStore', 'trustStore'] as const) {
    const file = javax?.net?.ssl?.[name];
    if (file === undefined || !isJavaStore(file)) continue;
    const parameter = `javax.net.ssl.${name}`;
    yield {
      parameter: block === '' ? parameter : `${block}.${parameter}`,
      message: `${file} has no effect: a store of Java cannot be read`,
      hint: 'Use a PEM file instead; keytool -exportcert -rfc or openssl pkcs12 creates one.',
      severity: 'warning',
    };
  }
}

/** Returns whether a file is a Java key store, by its extension. */
function isJavaStore(file: string): boolean {
  return /\.(jks|jceks|bcfks|keystore|truststore|p12|pfx|pkcs12)$/i.test(file);
}
