/** The groups of an IPv6 address, with 16 bits each. */
type Groups = readonly number[];

/** A form of IPv6 addresses that contain an IPv4 address, and the positions of its bytes. */
interface Embedding {
  readonly isOf: (groups: Groups) => boolean;
  readonly bytes: readonly (readonly [number, number, number, number])[];
  /** True if every bit is inverted. */
  readonly inverted?: boolean;
}

const LAST = [12, 13, 14, 15] as const;

/** All forms in which a router or the machine itself may translate an IPv6 address to an IPv4 address. */
const EMBEDDINGS: readonly Embedding[] = [
  // An IPv4-compatible address.
  { isOf: begins(0, 0, 0, 0, 0, 0), bytes: [LAST] },
  // An IPv4-mapped address.
  { isOf: begins(0, 0, 0, 0, 0, 0xffff), bytes: [LAST] },
  // An IPv4-translated address.
  { isOf: begins(0, 0, 0, 0, 0xffff, 0), bytes: [LAST] },
  // An address of NAT64.
  { isOf: begins(0x64, 0xff9b, 0, 0, 0, 0), bytes: [LAST] },
  // NAT64 with a prefix that the network chooses (RFC 6052), for prefixes of 48, 56, 64 and 96 bits.
  {
    isOf: begins(0x64, 0xff9b, 1),
    bytes: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST],
  },
  // An address of 6to4.
  { isOf: begins(0x2002), bytes: [[2, 3, 4, 5]] },
  // The server address of Teredo.
  { isOf: begins(0x2001, 0), bytes: [[4, 5, 6, 7]] },
  // The client address of Teredo.
  { isOf: begins(0x2001, 0), bytes: [LAST], inverted: true },
  // An address of ISATAP.
  { isOf: ({ 4: owner = 0, 5: mark }) => (owner & ~0x200) === 0 && mark === 0x5efe, bytes: [LAST] },
];

/** Returns the IPv4 addresses to which an IPv6 address may be translated. */
export function embeddedAddresses(address: string): string[] {
  const groups = groupsOf(address);
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]);
  return EMBEDDINGS.filter(({ isOf }) => isOf(groups)).flatMap(({ bytes: places, inverted = false }) =>
    places.map((place) => place.map((at) => (bytes[at] as number) ^ (inverted ? 0xff : 0)).join('.')),
  );
}

/** @param address an IPv6 address without a zone */
function groupsOf(address: string): Groups {
  // The URL parser converts any notation to the hexadecimal notation.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = plain.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.map((group) => Number.parseInt(group, 16));
}

function begins(...prefix: number[]): (groups: Groups) => boolean {
  return (groups) => prefix.every((group, at) => groups[at] === group);
}
