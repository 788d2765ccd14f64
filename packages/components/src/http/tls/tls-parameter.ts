import { type ParameterProblem, READS, type Static, Type } from '@headrace/engine';
import type { TlsSettings } from '../tls-settings.ts';

/** A separate folder without the parts of Node that connect to servers: modules that read local files load it too. */

/** The parameter `tls` of everything that talks to a server over HTTP: files, all of them PEM. */
export const tlsParameter = Type.Optional(
  Type.Object({
    /** Certificates of authorities to trust, in addition to those of the system. */
    caFile: Type.Optional(Type.String(READS)),
    /** Our certificate, for servers that ask for one. */
    certificateFile: Type.Optional(Type.String(READS)),
    /** Its key. Defaults to the file of the certificate. */
    keyFile: Type.Optional(Type.String(READS)),
    /** What the key is encrypted with. */
    keyPassphrase: Type.Optional(Type.String()),
  }),
);

/** By which certificates a server and we know each other. */
export interface Trust {
  readonly acceptInvalidCert?: boolean | undefined;
  readonly tls?: Static<typeof tlsParameter>;
}

/** How the access checks servers and sends client certificates. */
export function tlsOf({ acceptInvalidCert, tls }: Trust): TlsSettings {
  return {
    acceptInvalidCertificates: acceptInvalidCert === true,
    ...tls,
    // One file often holds both.
    ...(tls?.certificateFile === undefined ? {} : { keyFile: tls.keyFile ?? tls.certificateFile }),
  };
}

/**
 * Mistakes that can be found without the server.
 * @param prefix the prefix of the parameters, with its dot
 */
export function* checkTrust(prefix: string, urls: readonly URL[], { tls }: Trust): Generator<ParameterProblem> {
  if (tls === undefined) return;
  for (const name of ['keyFile', 'keyPassphrase'] as const) {
    if (tls[name] === undefined || tls.certificateFile !== undefined) continue;
    const message = `tls.${name} has no effect without tls.certificateFile`;
    yield { parameter: `${prefix}tls.${name}`, message, hint: 'Name the file of the certificate too.' };
  }
  if (urls.length > 0 && urls.every(({ protocol }) => protocol === 'http:')) {
    const message = 'tls has no effect: the URL is one of http';
    yield { parameter: `${prefix}tls`, message, hint: 'Write https.', severity: 'warning' };
  }
}
