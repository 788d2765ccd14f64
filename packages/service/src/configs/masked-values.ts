import { MASK, type Problem } from '@headrace/engine';
import type { ConfigNode, ConfigRoot } from './config-source.ts';

/**
 * Where a config has the mask of a secret for a value: somebody has changed what an answer showed, and the secret
 * would be lost.
 */
export function maskedValues(root: ConfigRoot): Problem[] {
  const problems: Problem[] = [];
  const pending: { node: ConfigNode; path: string }[] = [{ node: root, path: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, path } = next;
    if (node.kind === 'object') {
      for (const [key, child] of node.entries)
        pending.push({ node: child, path: path === '' ? key : `${path}.${key}` });
    } else if (node.kind === 'list') {
      for (const [i, item] of node.items.entries()) pending.push({ node: item, path: `${path}[${i}]` });
    } else if (node.kind === 'string' && holdsMask(node.value)) {
      const { line, column } = node.origin;
      problems.push({
        severity: 'error',
        code: 'HR_CONFIG_INVALID_VALUE',
        path,
        line,
        column,
        message: `${MASK} stands here for a secret, as answers show it`,
        hint: 'Write the secret itself, or send the config as it was before it was shown.',
      });
    }
  }
  return problems.reverse();
}

/** Answers mask a value as a whole, or a part of it: the password of a URL, a parameter. */
function holdsMask(text: string): boolean {
  return text === MASK || text.includes(`:${MASK}@`) || text.includes(`=${MASK}`);
}
