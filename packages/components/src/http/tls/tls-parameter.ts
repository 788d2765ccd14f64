import { type ParameterProblem, READS, type Static, Type } from '@headrace/engine';
import type { TlsSettings } from '../tls-settings.ts';

/**
 * A separate folder without the modules of Node that connect to servers, because modules for local files load it too.
 */

/** The parameter `tls` of all components that connect to a server over HTTP. All files are PEM. */
export const tlsParameter = Type.Optional(
  Type.Object({
    /** Certificates of authorities to trust, in addition to those of the system. */
    caFile: Type.Optional(Type.String(READS)),
    /** The client certificate, for servers that require one. */
    certificateFile: Type.Optional(Type.String(READS)),
    /** The key of the client certificate. Defaults to the file of the certificate. */
    keyFile: Type.Optional(Type.String(READS)),
    /** The passphrase of the key. */
    keyPassphrase: Type.Optional(Type.String()),
  }),
);

/** The settings for the certificates of the server and the client. */
export interface Trust {
  readonly acceptInvalidCert?: boolean | undefined;
  readonly tls?: Static<typeof tlsParameter>;
}

/** Converts these settings to TLS settings. */
export function tlsOf({ acceptInvalidCert, tls }: Trust): TlsSettings {
  return {
    acceptInvalidCertificates: acceptInvalidCert === true,
    ...tls,
    // The certificate file often contains the key too.
    ...(tls?.certificateFile === undefined ? {} : { keyFile: tls.keyFile ?? tls.certificateFile }),
  };
}

/**
 * Reports mistakes that can be found without the server.
 * @param prefix the prefix of the parameters, with its dot
 */
export function* checkTrust(prefix: string, urls: readonly URL[], { tls }: Trust): Generator<ParameterProblem> {
  if (tls === undefined) return;
  for (const name of ['keyFile', 'keyPassphrase'] as const) {
    if (tls[name] === undefined || tls.certificateFile !== undefined) continue;
    const message = `tls.${name} has no effect without tls.certificateFile`;
    yield { parameter: `${prefix}tls.${name}`, message, hint: 'Set tls.certificateFile too.' };
  }
  if (urls.length > 0 && urls.every(({ protocol }) => protocol === 'http:')) {
    const message = 'tls has no effect: the URL begins with http:';
    yield { parameter: `${prefix}tls`, message, hint: 'Use an https URL.', severity: 'warning' };
  }
}
