import { newToken } from '@headrace/service';
import { EXIT } from '../process/exit-code.ts';

/** `headrace token`: a new API token, and what the service file has of it. */
export async function token(): Promise<number> {
  const { token, tokenHash } = newToken();
  process.stdout.write(`token: ${token}\ntokenHash: ${tokenHash}\n`);
  return EXIT.ok;
}
