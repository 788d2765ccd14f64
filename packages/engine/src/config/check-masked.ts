import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import { asList, join, place } from '../component/config-nodes.ts';
import type { Problem } from '../errors/problem.ts';
import { isSecretKey, MASK } from './render-config.ts';

/**
 * Finds secrets whose value is the mask: the user sent back a config that the service had shown with masked secrets.
 * The problems are warnings, because the service can store the config. A run of this config will probably fail.
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
        message: `The value of this secret is ${MASK}, which the service shows instead of secrets`,
        hint: 'If you save a config with its masked secrets, the stored ones are kept. Otherwise write the real secret.',
      });
    }
  }
  return problems.reverse();
}

/**
 * Returns true if a text contains the mask. The service masks the whole value of a secret key, and a part of other
 * values, such as the password in a URL.
 */
function isMasked(text: string, secret: boolean): boolean {
  return (secret && text === MASK) || text.includes(`:${MASK}@`) || text.includes(`=${MASK}`);
}
