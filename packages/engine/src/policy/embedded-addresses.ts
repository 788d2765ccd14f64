/** Sixteen bits of an IPv6 address each. */
type Groups = readonly number[];

/** The positions of the bytes of IPv4 addresses in an address with this prefix. */
interface Embedding {
  readonly isOf: (groups: Groups) => boolean;
  readonly bytes: readonly (readonly [number, number, number, number])[];
  /** Whether every bit is inverted. */
  readonly inverted?: boolean;
}

const LAST = [12, 13, 14, 15] as const;

/** Every form in which a router or the machine itself may translate an IPv6 address to an IPv4 address. */
const EMBEDDINGS: readonly Embedding[] = [
  // IPv4-compatible.
  { isOf: begins(0, 0, 0, 0, 0, 0), bytes: [LAST] },
  // IPv4-mapped.
  { isOf: begins(0, 0, 0, 0, 0, 0xffff), bytes: [LAST] },
  // IPv4-translated.
  { isOf: begins(0, 0, 0, 0, 0xffff, 0), bytes: [LAST] },
  // NAT64.
  { isOf: begins(0x64, 0xff9b, 0, 0, 0, 0), bytes: [LAST] },
  // NAT64 with a prefix chosen by the network (RFC 6052), for prefixes of 48, 56, 64 and 96 bits.
  {
    isOf: begins(0x64, 0xff9b, 1),
    bytes: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST],
  },
  // 6to4.
  { isOf: begins(0x2002), bytes: [[2, 3, 4, 5]] },
  // Teredo, its server.
  { isOf: begins(0x2001, 0), bytes: [[4, 5, 6, 7]] },
  // Teredo.
  { isOf: begins(0x2001, 0), bytes: [LAST], inverted: true },
  // ISATAP.
  { isOf: ({ 4: owner = 0, 5: mark }) => (owner & ~0x200) === 0 && mark === 0x5efe, bytes: [LAST] },
];

/** The IPv4 addresses that an IPv6 address may lead to. */
export function embeddedAddresses(address: string): string[] {
  const groups = groupsOf(address);
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]);
  return EMBEDDINGS.filter(({ isOf }) => isOf(groups)).flatMap(({ bytes: places, inverted = false }) =>
    places.map((place) => place.map((at) => (bytes[at] as number) ^ (inverted ? 0xff : 0)).join('.')),
  );
}

/** @param address without a zone */
function groupsOf(address: string): Groups {
  // In hexadecimal notation, for any notation of the input.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = plain.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.map((group) => Number.parseInt(group, 16));
}

function begins(...prefix: number[]): (groups: Groups) => boolean {
  return (groups) => prefix.every((group, at) => groups[at] === group);
}
