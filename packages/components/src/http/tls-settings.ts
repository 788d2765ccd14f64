import { X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates } from 'node:tls';
import { readFile } from '../local-files/local-files.ts';

/** The trusted certificates and the client certificate of a client; all files are PEM. */
export interface TlsSettings {
  /** Whether to accept every certificate of any host: only for test systems. */
  readonly acceptInvalidCertificates?: boolean;
  /** Certificates of authorities to trust, in addition to those of the system. */
  readonly caFile?: string;
  /** The client certificate and its key. */
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly keyPassphrase?: string;
}

/**
 * Reads the files and returns the settings for `tls.connect`. Throws an error that names a file that cannot be used.
 */
export async function tlsOptions(settings: TlsSettings): Promise<Record<string, unknown>> {
  const [ca, cert, key] = await Promise.all([
    read(settings.caFile, 'authorities'),
    read(settings.certificateFile, 'client certificate'),
    read(settings.keyFile, 'key of the client certificate'),
  ]);
  requireCertificate(ca, settings.caFile, 'authorities');
  requireCertificate(cert, settings.certificateFile, 'client certificate');
  if (cert !== undefined && key !== undefined) requireKey(cert, key, settings);
  return {
    ...(settings.acceptInvalidCertificates === true ? { rejectUnauthorized: false } : {}),
    ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(settings.keyPassphrase === undefined ? {} : { passphrase: settings.keyPassphrase }),
  };
}

async function read(file: string | undefined, what: string): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`The file of the ${what}, ${file}, cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Throws if the file has no certificate. TLS would ignore it, and report only that the server is not trusted. */
function requireCertificate(text: string | undefined, file: string | undefined, what: string): void {
  if (text === undefined) return;
  try {
    new X509Certificate(text);
  } catch (error) {
    const message = `The file of the ${what}, ${file}, contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)`;
    throw new Error(message, { cause: error });
  }
}

/**
 * Throws if the key cannot be used. Otherwise each connection would report that, in cloud libraries after many retries.
 */
function requireKey(cert: string, key: string, { keyFile, keyPassphrase: passphrase }: TlsSettings): void {
  try {
    createSecureContext({ cert, key, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch (error) {
    const { reason, message } = error as Error & { readonly reason?: string };
    throw new Error(`The file of the key of the client certificate, ${keyFile}, cannot be used: ${reason ?? message}`, {
      cause: error,
    });
  }
}
