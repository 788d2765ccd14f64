import { isIPv4 } from 'node:net';

/** Whether an address, or the name `localhost`, can be reached from this machine only. Other names are not looked up. */
export function isLoopback(host: string): boolean {
  const address = host.toLowerCase().replace(/^::ffff:/, '');
  if (isIPv4(address)) return address.startsWith('127.');
  return address === 'localhost' || address === '::1';
}
