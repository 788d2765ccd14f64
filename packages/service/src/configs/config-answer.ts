import { createHash } from 'node:crypto';
import { configToJson, maskSecrets } from '@headrace/engine';
import type { ConfigRoot } from './config-source.ts';

/**
 * Returns the answer of GET for a config: JSON with secrets masked, and its digest. The digest is computed from the
 * masked JSON. With a digest of the real values, every reader could test guesses of a password.
 */
export function configAnswer(root: ConfigRoot): { answer: string; digest: string } {
  const answer = configToJson(maskSecrets(root));
  return { answer, digest: createHash('sha256').update(answer).digest('hex') };
}
