import type { PathEntry } from '../parsing/properties.ts';
import { objectOfPaths } from '../parsing/properties.ts';
import type { ConfigNode, ObjectNode, Origin } from '../tree/node.ts';
import type { Raw } from '../tree/raw.ts';

/** The environment variables as substitutions see them in the reference: names are split at their dots. */
export class Environment {
  readonly #env: Record<string, string | undefined>;
  #tree: ObjectNode | undefined;

  constructor(env: Record<string, string | undefined>) {
    this.#env = env;
  }

  /** Returns the value at a path. Its origin is the position of the substitution. */
  find(path: string[], origin: Origin): Raw | undefined {
    this.#tree ??= this.#read(origin);
    let at: Raw | undefined = this.#tree;
    for (const key of path) {
      if (at?.kind !== 'object') return undefined;
      at = at.entries.get(key);
    }
    return at?.kind === 'string' ? { ...at, origin } : at;
  }

  #read(origin: Origin): ObjectNode {
    const entries: PathEntry[] = [];
    for (const [name, value] of Object.entries(this.#env)) {
      if (value === undefined) continue;
      const node: ConfigNode = { kind: 'string', value, origin, fromEnv: true };
      entries.push({ path: name.split('.'), node, origin });
    }
    return objectOfPaths(entries, origin);
  }
}
