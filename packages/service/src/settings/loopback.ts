import { isIPv4 } from 'node:net';

/**
 * Returns whether an address, or the name `localhost`, can be reached only from this machine. Other names are not
 * resolved.
 */
export function isLoopback(host: string): boolean {
  const address = host.toLowerCase().replace(/^::ffff:/, '');
  if (isIPv4(address)) return address.startsWith('127.');
  return address === 'localhost' || address === '::1';
}
