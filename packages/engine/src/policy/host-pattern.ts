import type { BlockList } from 'node:net';
import { domainToASCII } from 'node:url';

/**
 * A host in a policy: a name (`example.org`), all names below a name (`*.example.org`), an address (`10.1.2.3`,
 * `fd00::1`), a range of addresses (`10.0.0.0/8`, `fd00::/8`), or `*`. A port is optional (`example.org:443`,
 * `[fd00::1]:443`).
 */
export type HostPattern = { readonly port: number | undefined } & (
  | { readonly kind: 'any' }
  | { readonly kind: 'name'; readonly name: string }
  /** The suffix of the names. It starts with a dot. */
  | { readonly kind: 'below'; readonly ending: string }
  | { readonly kind: 'addresses'; readonly addresses: BlockList }
);

/** Loads the module when a policy is compiled, because most threads never need it. */
const net = () => process.getBuiltinModule('node:net');

const PORT = /^(.*?)(?::(\d{1,5}))?$/;
const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** Parses a host of a policy. Returns undefined if it is not valid. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const [, host = '', portText] = (isBareV6(text) ? [text, text] : PORT.exec(text)) as string[];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port === 0 || port > 65_535)) return undefined;
  if (host === '*') return { kind: 'any', port };
  const addresses = addressRange(host.replace(/^\[(.*)\]$/, '$1').replace(/^\[(.*)\](\/\d+)$/, '$1$2'));
  if (addresses !== undefined) return { kind: 'addresses', addresses, port };
  const below = host.startsWith('*.');
  const name = hostName(below ? host.slice(2) : host);
  // A name that ends in a number is an invalid IPv4 address.
  if (!NAME.test(name) || /(^|\.)\d+$/.test(name)) return undefined;
  return below ? { kind: 'below', ending: `.${name}`, port } : { kind: 'name', name, port };
}

/** Returns true if the pattern matches this name and port. The pattern `*` matches every name. */
export function meansName(pattern: HostPattern, name: string, port: number | undefined): boolean {
  if (!meansPort(pattern, port)) return false;
  if (pattern.kind === 'any') return true;
  return pattern.kind === 'name' ? pattern.name === name : pattern.kind === 'below' && name.endsWith(pattern.ending);
}

/** Returns true if the pattern matches this address and port. */
export function meansAddress(pattern: HostPattern, address: string, port: number | undefined): boolean {
  return pattern.kind === 'addresses' && meansPort(pattern, port) && contains(pattern.addresses, address);
}

/** Returns true if the list contains this address, in any notation. */
export function contains(addresses: BlockList, address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  return addresses.check(plain, net().isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/** Returns a list of the addresses in ranges in CIDR notation. */
export function addressesOf(ranges: readonly string[]): BlockList {
  const { BlockList, isIPv6 } = net();
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Normalizes a host name for comparisons: ASCII, lower case, no dot at the end. */
export function hostName(host: string): string {
  const plain = host.replace(/\.$/, '');
  return (domainToASCII(plain) || plain).toLowerCase();
}

function addressRange(text: string): BlockList | undefined {
  const [address = '', bits, more] = text.split('/');
  const family = net().isIP(address);
  if (family === 0 || more !== undefined) return undefined;
  const most = family === 4 ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most)) return undefined;
  return addressesOf([`${address}/${bits ?? most}`]);
}

function isBareV6(text: string): boolean {
  return net().isIPv6(text.split('/')[0] as string);
}

function meansPort(pattern: HostPattern, port: number | undefined): boolean {
  return pattern.port === undefined || port === undefined || pattern.port === port;
}
