import type { BlockList } from 'node:net';
import { embeddedAddresses } from './embedded-addresses.ts';
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

/** Addresses at which clouds provide the credentials of a machine. No config may reach them. */
const METADATA = [
  '169.254.0.0/16',
  // Alibaba, Azure and Oracle.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  // Amazon, Google and OpenStack.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::a9fe:a9fe/128',
];

/**
 * All addresses outside the public internet: loopback, private, link-local, shared, multicast, and addresses that
 * contain an IPv4 address.
 */
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

/** The hosts that a policy allows configs to reach. Its methods return the reason of a refusal, or undefined. */
export class HostRules {
  readonly #allow: readonly HostPattern[] | undefined;
  readonly #deny: readonly HostPattern[];
  readonly #privateAddresses: boolean;
  readonly #metadata = addressesOf(METADATA);
  readonly #notPublic = addressesOf(NOT_PUBLIC);

  constructor({ hosts, privateAddresses }: Policy) {
    this.#allow = hosts.allow?.flatMap((text) => parseHostPattern(text) ?? []);
    this.#deny = hosts.deny.flatMap((text) => parseHostPattern(text) ?? []);
    this.#privateAddresses = privateAddresses;
  }

  /** Checks a host before its addresses are known. */
  refusedHost(host: string, port?: number): string | undefined {
    const name = hostName(host);
    if (isAddress(name)) return this.refusedAddress(name, name, port);
    if (this.#deny.some((pattern) => meansName(pattern, name, port)))
      return `hosts.deny of the policy contains ${name}`;
    const allowed = this.#allow?.some((pattern) => meansName(pattern, name, port) || pattern.kind === 'addresses');
    return allowed === false ? `hosts.allow of the policy does not contain ${hostText(name, port)}` : undefined;
  }

  /** Checks a host that is reached through a proxy. Its addresses are unknown here, so its name must be allowed. */
  refusedUnseen(host: string, port?: number): string | undefined {
    const refused = this.refusedHost(host, port);
    const name = hostName(host);
    if (refused !== undefined || isAddress(name) || this.#allow === undefined) return refused;
    if (this.#allow.some((pattern) => meansName(pattern, name, port))) return undefined;
    return `hosts.allow of the policy does not contain the name ${hostText(name, port)}, and its addresses are unknown behind a proxy`;
  }

  /** Checks one address of a host. */
  refusedAddress(host: string, address: string, port?: number): string | undefined {
    const name = hostName(host);
    const which = name === address ? address : `${address}, which is ${name},`;
    // A connection to the address also reaches an embedded address, so that one must be allowed too.
    const forms = formsOf(address);
    const isIn = (addresses: BlockList) => forms.some((form) => contains(addresses, form));
    if (isIn(this.#metadata)) return `${which} belongs to the cloud of the machine or to its link-local network`;
    const means = (form: string) => (pattern: HostPattern) =>
      meansName(pattern, name, port) || meansAddress(pattern, form, port);
    if (forms.some((form) => this.#deny.some(means(form))))
      return `hosts.deny of the policy contains ${hostText(name, port)}`;
    const allowing = this.#allow?.filter(means(address));
    if (allowing?.length === 0) return `hosts.allow of the policy does not contain ${hostText(name, port)}`;
    if (this.#privateAddresses || !isIn(this.#notPublic)) return undefined;
    // A private address is allowed if the policy contains the exact host name or its address, but not if it contains a
    // whole domain.
    const named = allowing?.some(({ kind }) => kind === 'name' || kind === 'addresses') === true;
    return named ? undefined : `${which} is a private address`;
  }
}

/** Returns an address and the IPv4 addresses that it contains. */
function formsOf(address: string): string[] {
  const plain = address.replace(/%.*$/, '');
  return [plain, ...(process.getBuiltinModule('node:net').isIPv6(plain) ? embeddedAddresses(plain) : [])];
}

function isAddress(text: string): boolean {
  return process.getBuiltinModule('node:net').isIP(text) !== 0;
}

function hostText(name: string, port: number | undefined): string {
  return port === undefined ? name : `${name}:${port}`;
}
