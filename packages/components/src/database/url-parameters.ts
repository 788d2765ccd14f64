import { nearest, type ParameterProblem } from '@headrace/engine';
import type { DatabaseUrl } from '@headrace/languages/java/sql';

/** The URL parameters for TLS and encryption that are supported or refused. */
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

/** The parameters with a fixed list of values, and whether another value fails the connection. */
const CHOICES: Readonly<Record<string, { name: string; values: readonly string[]; fails: boolean }>> = {
  postgres: {
    name: 'sslmode',
    values: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'],
    fails: true,
  },
  mysql: {
    name: 'sslMode',
    values: [
      ...['DISABLED', 'PREFERRED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'],
      ...['disable', 'trust', 'verify-ca', 'verify-full', 'true', 'false'],
    ],
    fails: true,
  },
  sqlserver: {
    name: 'encrypt',
    values: ['true', 'false', 'strict', 'mandatory', 'optional', 'yes', 'no'],
    fails: false,
  },
  jtds: { name: 'ssl', values: ['off', 'request', 'require', 'authenticate'], fails: false },
};

/** Matches names of parameters that probably concern the security of a connection. */
const MEANS_TO_SECURE = /ssl|tls|encrypt|trust|cert/i;

/**
 * Reports problems of the URL parameters that secure the connection.
 * Unknown ones cause a warning: a misspelt `sslmode` would silently disable the check of certificates. Other parameters
 * are ignored, because drivers have hundreds of them.
 */
export function* checkUrlParameters(parameter: string, url: DatabaseUrl): Generator<ParameterProblem> {
  if (url.kind === 'sqlite') return;
  const dialect = url.scheme === 'jtds' ? 'jtds' : url.kind;
  const known = SECURING[dialect] ?? [];
  yield* checkChoice(parameter, url.properties, dialect);
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

function* checkChoice(
  parameter: string,
  properties: ReadonlyMap<string, string>,
  dialect: string,
): Generator<ParameterProblem> {
  const choice = CHOICES[dialect];
  const value = choice && properties.get(choice.name.toLowerCase());
  if (choice === undefined || value === undefined) return;
  const { name, values, fails } = choice;
  if (values.some((one) => one.toLowerCase() === value.toLowerCase())) return;
  const best = nearest(value, values);
  yield {
    parameter,
    message: `${name}=${value} in the JDBC URL is not known`,
    hint: best === undefined ? `Use one of ${values.join(', ')}.` : `Did you mean ${best}?`,
    ...(fails ? { atStart: true } : { severity: 'warning' }),
  };
}
