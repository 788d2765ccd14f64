import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import { asList, join, place } from '../component/config-nodes.ts';
import type { Problem } from '../errors/problem.ts';
import { isSecretKey, MASK } from './render-config.ts';

/**
 * Finds the mask of a secret in place of the secret: the user sent a config as an answer showed it. The problems are
 * warnings, because the config can be stored. A run of it will probably fail.
 */
export function maskedSecrets(root: ObjectNode): Problem[] {
  const problems: Problem[] = [];
  const pending: { node: ConfigNode; path: string; secret: boolean }[] = [{ node: root, path: '', secret: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, path, secret } = next;
    if (node.kind === 'object') {
      for (const [key, child] of node.entries)
        pending.push({ node: child, path: join(path, key), secret: secret || isSecretKey(key) });
    } else if (node.kind === 'list') {
      for (const [i, child] of (asList(node) ?? []).entries())
        pending.push({ node: child, path: join(path, i), secret });
    } else if (node.kind === 'string' && isMasked(node.value, secret)) {
      problems.push({
        severity: 'warning',
        code: 'HR_CONFIG_INVALID_VALUE',
        path,
        ...place(node.origin),
        message: `This secret is ${MASK}, the mask that answers show instead of it`,
        hint: 'Write the secret itself, or send the config as it was before it was shown.',
      });
    }
  }
  return problems.reverse();
}

/** Answers mask the whole value of a secret key, and parts of other values: the password of a URL, a parameter. */
function isMasked(text: string, secret: boolean): boolean {
  return (secret && text === MASK) || text.includes(`:${MASK}@`) || text.includes(`=${MASK}`);
}
