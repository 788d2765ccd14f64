import { nearest, type ParameterProblem } from '@headrace/engine';
import type { DatabaseUrl } from './jdbc-url.ts';

/** The parameters of a URL that say how a connection is secured, as far as they are heeded or refused. */
const SECURING: Readonly<Record<string, readonly string[]>> = {
  postgres: ['ssl', 'sslmode', 'sslfactory', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword'],
  mysql: [
    'sslMode',
    'useSSL',
    'requireSSL',
    'verifyServerCertificate',
    'trustServerCertificate',
    'serverSslCert',
    'clientSslCert',
    'clientSslKey',
    'trustStore',
    'trustCertificateKeyStoreUrl',
    'clientCertificateKeyStoreUrl',
  ],
  sqlserver: ['encrypt', 'trustServerCertificate', 'serverCertificate', 'hostNameInCertificate'],
  jtds: ['ssl'],
};

/** Names of parameters that mean to secure a connection. */
const MEANS_TO_SECURE = /ssl|tls|encrypt|trust|cert/i;

/**
 * Warnings for parameters of a URL that mean to secure the connection and are not known: a misspelt `sslmode` would turn
 * the check of certificates off without a word. Of the others drivers know hundreds, which are of no concern here.
 */
export function* checkUrlParameters(parameter: string, url: DatabaseUrl): Generator<ParameterProblem> {
  if (url.kind === 'sqlite') return;
  const known = SECURING[url.scheme === 'jtds' ? 'jtds' : url.kind] ?? [];
  for (const name of url.properties.keys()) {
    if (!MEANS_TO_SECURE.test(name) || known.some((one) => one.toLowerCase() === name)) continue;
    const best = nearest(name, known);
    yield {
      parameter,
      severity: 'warning',
      message: `The parameter ${name} in the JDBC URL is not known: it has no effect on how the connection is secured`,
      hint: best === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${best}?`,
    };
  }
}
