import { fileURLToPath } from 'node:url';
import type { FileAccess } from './file-rules.ts';

/**
 * The kind of use of a file or server: a file to read, a file to write, a host (in a URL or alone) to connect to, or a
 * database (in the same form) that receives statements of the config.
 */
export type AccessKind = 'read' | 'write' | 'connect' | 'query';

/** A file or a host that a config value names. */
export type Place =
  | { readonly path: string; readonly access: FileAccess }
  | { readonly host: string; readonly port?: number };

/**
 * Returns the files and hosts in the string of a parameter. Strings with placeholders, and names in a file or a
 * document, are only known during a run.
 */
export function placesIn(kind: AccessKind, text: string): Place[] {
  if (text === '') return [];
  if (kind === 'read' || kind === 'write') {
    const path = pathIn(text);
    return path === undefined ? hostsIn(text) : [{ path, access: kind }];
  }
  const database = /^jdbc:(?:sqlite|h2):(.*)$/is.exec(text)?.[1];
  return database === undefined ? hostsIn(text) : databaseFile(database);
}

/** Returns the local path in a string. Returns undefined for a URL that is not a file. */
function pathIn(text: string): string | undefined {
  if (/^classpath:/.test(text)) return text.replace(/^classpath:\/*/, '');
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) return text;
  if (!/^file:/i.test(text)) return undefined;
  try {
    return fileURLToPath(text);
  } catch {
    return undefined;
  }
}

/** Returns true if a JDBC URL belongs to a database that runs inside this process. */
export function isInProcess(text: string): boolean {
  return /^jdbc:(?:sqlite|h2):/i.test(text);
}

function databaseFile(rest: string): Place[] {
  const path = rest.replace(/^file:/i, '').replace(/[?;].*$/s, '');
  const access = /[?;&](mode=ro|immutable=1)\b/i.test(rest) ? 'read' : 'write';
  return path === '' || path === ':memory:' || /^(mem|tcp|ssl):/i.test(path) ? [] : [{ path, access }];
}

/**
 * Returns the hosts of a URL, or of a list of hosts without a URL. A URL may contain several hosts, separated by
 * commas.
 */
function hostsIn(text: string): Place[] {
  const url = /^(?:jdbc:)?([a-z][a-z0-9+.:-]*):\/\/([^/?#;]*)/i.exec(text.trim());
  const scheme = url?.[1]?.toLowerCase() ?? '';
  // Bucket names are not hosts.
  if (scheme === 's3' || scheme === 'gs' || scheme === 'file') return [];
  const authority = (url?.[2] ?? text.trim().replace(/\/.*$/s, '')).replace(/^.*@/s, '');
  return authority.split(',').flatMap((part) => {
    const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(part.trim()) ?? [];
    if (host === '' || /[{}$\s\\]/.test(host)) return [];
    const known = port === undefined ? DEFAULT_PORTS[scheme] : Number(port);
    return [{ host: host.replace(/^\[(.*)\]$/, '$1'), ...(known === undefined ? {} : { port: known }) }];
  });
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };
