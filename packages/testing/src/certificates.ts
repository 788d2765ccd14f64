import { execFileSync } from 'node:child_process';

/** Returns whether openssl is available to create certificates. Continuous integration requires it. */
export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return false;
  }
}

/**
 * Creates a certificate authority, and its certificates for 127.0.0.1 and for a client, in the folder: `ca.pem`,
 * `server.pem`, `server.key` and so on.
 */
export function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority');
  for (const name of ['server', 'client']) {
    const extension = ['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'];
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-x509'];
    openssl(
      'req',
      ...authority,
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      ...extension,
    );
  }
}
