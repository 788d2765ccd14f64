import { scryptSync } from 'node:crypto';

/** Returns a hash of a password that takes only about a millisecond to verify. */
export function lightHash(password: string): string {
  const salt = Buffer.from('a salt for tests');
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=8,r=8,p=1$${text(salt)}$${text(scryptSync(password, salt, 32, { N: 256, r: 8, p: 1 }))}`;
}
