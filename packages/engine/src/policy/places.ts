import { fileURLToPath } from 'node:url';
import type { FileAccess } from './file-rules.ts';

/**
 * The kind of a named place: a file to read, a file to write, a host (in a URL, or alone) to connect to, or a database
 * (in the same form) to send statements of the config to.
 */
export type AccessKind = 'read' | 'write' | 'connect' | 'query';

/** A file or a host that a config value names. */
export type Place =
  | { readonly path: string; readonly access: FileAccess }
  | { readonly host: string; readonly port?: number };

/**
 * The files and hosts in the text of a parameter. Texts with placeholders, and names in a file or a document, are only
 * known during a run.
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

/** The local path of a text; undefined for any URL that is not a file. */
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

/** Whether a JDBC URL is that of a database that runs inside this process. */
export function isInProcess(text: string): boolean {
  return /^jdbc:(?:sqlite|h2):/i.test(text);
}

function databaseFile(rest: string): Place[] {
  const path = rest.replace(/^file:/i, '').replace(/[?;].*$/s, '');
  const access = /[?;&](mode=ro|immutable=1)\b/i.test(rest) ? 'read' : 'write';
  return path === '' || path === ':memory:' || /^(mem|tcp|ssl):/i.test(path) ? [] : [{ path, access }];
}

/** The hosts of a URL, which may have several separated by commas, or of such a list without a URL. */
function hostsIn(text: string): Place[] {
  const url = /^(?:jdbc:)?([a-z][a-z0-9+.:-]*):\/\/([^/?#;]*)/i.exec(text.trim());
  const scheme = url?.[1]?.toLowerCase() ?? '';
  // Names of buckets are not hosts.
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
