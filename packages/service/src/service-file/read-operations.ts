import { isIP } from 'node:net';
import type { AuditSettings, LogSettings } from '../settings/service-settings.ts';
import type { Entry, YamlReader } from './yaml-reader.ts';

/** Reads the block `log`: level and format of the service log. */
export function readLog(reader: YamlReader, entry: Entry | undefined, defaults: LogSettings): LogSettings {
  const keys = reader.map(entry, ['level', 'format', 'requests']);
  return {
    level: reader.choice(keys.get('level'), ['error', 'warn', 'info', 'debug']) ?? defaults.level,
    format: reader.choice(keys.get('format'), ['auto', 'json', 'pretty']) ?? defaults.format,
    requests: reader.flag(keys.get('requests')) ?? defaults.requests,
  };
}

/** Reads the block `audit`. The audit log is on if there are users, or if the block exists. */
export function readAudit(
  reader: YamlReader,
  entry: Entry | undefined,
  { level }: LogSettings,
  hasUsers: boolean,
): { audit?: AuditSettings } {
  const keys = reader.map(entry, ['enabled', 'path']);
  const enabled = reader.flag(keys.get('enabled')) ?? (hasUsers || entry !== undefined);
  const path = reader.text(keys.get('path'));
  if (!enabled) return {};
  if (path === undefined && (level === 'warn' || level === 'error')) {
    const at = entry ?? reader.root;
    reader.error(
      { ...at, path: 'audit' },
      `Audit records are written to the log, but log.level ${level} drops them`,
      'Set audit.path, or set audit.enabled: false.',
    );
  }
  return { audit: path === undefined ? {} : { path } };
}

/** Reads the block `shutdown`: how many seconds runs may take to end. */
export function readShutdown(reader: YamlReader, entry: Entry | undefined): number | undefined {
  return reader.integer(reader.map(entry, ['graceSeconds']).get('graceSeconds'), 0, 24 * 3600);
}

/** Reads `server.trustedProxies`: addresses, and networks in CIDR notation. */
export function readTrustedProxies(reader: YamlReader, proxies: Entry | undefined): string[] {
  return reader.list(proxies).flatMap((entry) => {
    const text = reader.text(entry);
    if (text === undefined || isNetwork(text)) return text ?? [];
    reader.error(entry, `${entry.path} is not an address or a network`, 'Write 10.0.0.7, 10.0.0.0/8 or fd00::/8.');
    return [];
  });
}

/**
 * Reads `server.allowedHosts`: names and addresses, each with or without a port. Returns them in lower case, as
 * browsers send them.
 */
export function readAllowedHosts(reader: YamlReader, hosts: Entry | undefined): string[] {
  return reader.list(hosts).flatMap((entry) => {
    const text = reader.text(entry);
    if (text === undefined) return [];
    if (/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text)) return text.toLowerCase();
    reader.error(
      entry,
      `${entry.path} is not a host`,
      'Write ingest.example.org, ingest.example.org:8443 or 10.0.0.7.',
    );
    return [];
  });
}

function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/');
  const version = isIP(address);
  if (version === 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
