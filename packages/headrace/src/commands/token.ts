import { newToken } from '@headrace/service';
import { EXIT } from '../process/exit-code.ts';

/** `headrace token`: prints a new API token, and its hash for the service file. */
export async function token(): Promise<number> {
  const { token, tokenHash } = newToken();
  process.stdout.write(`token: ${token}\ntokenHash: ${tokenHash}\n`);
  return EXIT.ok;
}
