import { type ConfigNode, type ObjectNode, render } from '@headrace/hocon';

/** What stands for a secret in answers and logs. */
export const MASK = '******';

// Names of keys whose values are credentials, the parts of the name taken as words.
const SECRET =
  /pass(word|wd|phrase)?$|secret|api_?key|access_?key|private_?key|account_?key|token$|credential|connection_?string$|authorization/i;
const URL_WITH_PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:)[^/?#\s@]+@/i;

/** Whether a key of this name holds a credential. */
export function isSecretKey(key: string): boolean {
  return SECRET.test(key.replace(/([a-z0-9])([A-Z])/g, '$1_$2'));
}

/** The config with secrets masked: values of secret keys, values from the environment, passwords in URLs. */
export function maskSecrets(root: ObjectNode): ObjectNode {
  return maskNode(root, false) as ObjectNode;
}

/** A config as JSON, one line; `indent` for people. Secrets are in it unless they were masked before. */
export function configToJson(root: ObjectNode, options: { indent?: number; sorted?: boolean } = {}): string {
  return render(root, { format: 'json', indent: options.indent ?? 0, sorted: options.sorted ?? false });
}

function maskNode(node: ConfigNode, secret: boolean): ConfigNode {
  switch (node.kind) {
    case 'object': {
      const entries = new Map<string, ConfigNode>();
      for (const [key, child] of node.entries) entries.set(key, maskNode(child, secret || isSecretKey(key)));
      return { ...node, entries };
    }
    case 'list':
      return { ...node, items: node.items.map((item) => maskNode(item, secret)) };
    case 'null':
      return node;
  }
  if (secret || node.fromEnv === true) {
    return { kind: 'string', value: MASK, origin: node.origin };
  }
  if (node.kind === 'string' && URL_WITH_PASSWORD.test(node.value)) {
    return { ...node, value: node.value.replace(URL_WITH_PASSWORD, `$1${MASK}@`) };
  }
  return node;
}
