import { scryptSync } from 'node:crypto';

/** The hash of a password that is verified in a millisecond. */
export function lightHash(password: string): string {
  const salt = Buffer.from('a salt for tests');
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=8,r=8,p=1$${text(salt)}$${text(scryptSync(password, salt, 32, { N: 256, r: 8, p: 1 }))}`;
}
