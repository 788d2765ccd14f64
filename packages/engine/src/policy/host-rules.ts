import {
  addressesOf,
  contains,
  type HostPattern,
  hostName,
  meansAddress,
  meansName,
  parseHostPattern,
} from './host-pattern.ts';
import type { Policy } from './policy.ts';

/** Where clouds tell a machine its credentials. No config has any business there. */
const METADATA = ['169.254.0.0/16', 'fd00:ec2::254/128'];

/** Everything that is not the public internet: loopback, private, link-local, shared, multicast, and what wraps IPv4. */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** Which hosts a policy lets configs reach. Answers are the reason of a refusal, or undefined. */
export class HostRules {
  private readonly allow: readonly HostPattern[] | undefined;
  private readonly deny: readonly HostPattern[];
  private readonly privateAddresses: boolean;
  private readonly metadata = addressesOf(METADATA);
  private readonly notPublic = addressesOf(NOT_PUBLIC);

  constructor({ hosts, privateAddresses }: Policy) {
    this.allow = hosts.allow?.flatMap((text) => parseHostPattern(text) ?? []);
    this.deny = hosts.deny.flatMap((text) => parseHostPattern(text) ?? []);
    this.privateAddresses = privateAddresses;
  }

  /** What can be said of a host before its addresses are known. */
  refusedHost(host: string, port?: number): string | undefined {
    const name = hostName(host);
    if (isAddress(name)) return this.refusedAddress(name, name, port);
    if (this.deny.some((pattern) => meansName(pattern, name, port))) return `hosts.deny of the policy has ${name}`;
    const allowed = this.allow?.some((pattern) => meansName(pattern, name, port) || pattern.kind === 'addresses');
    return allowed === false ? `hosts.allow of the policy does not have ${told(name, port)}` : undefined;
  }

  /** What is to be said of an address that a host has. */
  refusedAddress(host: string, address: string, port?: number): string | undefined {
    const name = hostName(host);
    const which = name === address ? address : `${address}, which is ${name},`;
    if (contains(this.metadata, address)) return `${which} belongs to the machine's cloud or its own network`;
    const means = (pattern: HostPattern) => meansName(pattern, name, port) || meansAddress(pattern, address, port);
    if (this.deny.some(means)) return `hosts.deny of the policy has ${told(name, port)}`;
    const allowing = this.allow?.filter(means);
    if (allowing?.length === 0) return `hosts.allow of the policy does not have ${told(name, port)}`;
    if (this.privateAddresses || !contains(this.notPublic, address)) return undefined;
    // Who named the very host, or its addresses, meant it; who named all of a domain did not mean every address there.
    const named = allowing?.some(({ kind }) => kind === 'name' || kind === 'addresses') === true;
    return named ? undefined : `${which} is a private address`;
  }
}

function isAddress(text: string): boolean {
  return process.getBuiltinModule('node:net').isIP(text) !== 0;
}

function told(name: string, port: number | undefined): string {
  return port === undefined ? name : `${name}:${port}`;
}
