import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHostPattern } from './host-pattern.ts';
import { HostRules } from './host-rules.ts';
import { DEFAULT_POLICY, type Policy, STRICT_POLICY } from './policy.ts';

/**
 * Returns the reason why a policy refuses a host whose name has these addresses. Without addresses, the host is an
 * address.
 */
function refused(policy: Policy, host: string, port: number, ...addresses: string[]): string | undefined {
  const rules = new HostRules(policy);
  return rules.refusedHost(host, port) ?? addresses.map((each) => rules.refusedAddress(host, each, port)).find(Boolean);
}

const strictWith = (allow: string[], deny: string[] = []): Policy => ({ ...STRICT_POLICY, hosts: { allow, deny } });

describe('the strict policy', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '255.255.255.255',
    '224.0.0.1',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    'fd12::1',
    'fe80::1%eth0',
    'ff02::1',
  ])('refuses the address %s, also as the address of a name', (address) => {
    expect(refused(STRICT_POLICY, address, 80)).toMatch(/private address|cloud/);
    expect(refused(STRICT_POLICY, 'a.example', 80, address)).toMatch(/private address|cloud/);
  });

  it.each(['93.184.216.34', '2606:4700::1111', '172.32.0.1', '9.9.9.9'])('allows the public address %s', (address) => {
    expect(refused(STRICT_POLICY, address, 443)).toBeUndefined();
    expect(refused(STRICT_POLICY, 'a.example', 443, address)).toBeUndefined();
  });

  it.each(['127.0.0.1.', '2130706433', '0x7f.1', '127.1', '１２７.0.0.1', '[::1]'.slice(1, -1)])(
    'recognizes the private address %s in any notation',
    (host) => {
      expect(refused(STRICT_POLICY, host, 80)).toMatch(/private address/);
    },
  );
});

describe('hosts.allow', () => {
  it.each<[allow: string, host: string, port: number, address: string, open: boolean]>([
    ['search.internal', 'search.internal', 9200, '10.1.1.1', true],
    ['search.internal', 'SEARCH.internal.', 9200, '10.1.1.1', true],
    ['search.internal:9200', 'search.internal', 9201, '10.1.1.1', false],
    ['search.internal', 'other.internal', 9200, '10.1.1.1', false],
    ['search.internal', 'evilsearch.internal', 9200, '93.184.216.34', false],
    ['*.example.org', 'a.b.example.org', 443, '93.184.216.34', true],
    ['*.example.org', 'example.org', 443, '93.184.216.34', false],
    ['*.example.org', 'badexample.org', 443, '93.184.216.34', false],
    // The owner of a name below example.org must not be able to make it an address of this machine.
    ['*.example.org', 'a.example.org', 443, '127.0.0.1', false],
    ['*', 'a.example.org', 443, '127.0.0.1', false],
    ['10.1.0.0/16', 'x.internal', 9200, '10.1.1.1', true],
    ['10.1.0.0/16', 'x.internal', 9200, '10.2.1.1', false],
    ['[fd00::1]:9200', 'x.internal', 9200, 'fd00::1', true],
    ['fd00::/8', 'x.internal', 9200, 'fd99::1', true],
    ['bücher.example', 'xn--bcher-kva.example', 443, '93.184.216.34', true],
    // No config may reach cloud metadata, even if the policy allows the address.
    ['169.254.169.254', '169.254.169.254', 80, '169.254.169.254', false],
    ['metadata.google.internal', 'metadata.google.internal', 80, '169.254.169.254', false],
  ])('with the value %s, %s:%i at %s is allowed: %s', (allow, host, port, address, open) => {
    expect(refused(strictWith([allow]), host, port, address) === undefined).toBe(open);
  });
});

describe('hosts.deny', () => {
  it('overrides hosts.allow, by name and by address', () => {
    const policy = strictWith(['*.example.org', '10.0.0.0/8'], ['bad.example.org', '10.0.0.9']);
    expect(refused(policy, 'bad.example.org', 443, '93.184.216.34')).toContain('hosts.deny');
    expect(refused(policy, 'x.internal', 443, '10.0.0.9')).toContain('hosts.deny');
    expect(refused(policy, 'x.internal', 443, '10.0.0.8')).toBeUndefined();
  });
});

describe('the default policy', () => {
  it('allows everything except cloud metadata', () => {
    expect(refused(DEFAULT_POLICY, 'localhost', 9200, '127.0.0.1', '::1')).toBeUndefined();
    expect(refused(DEFAULT_POLICY, '192.168.1.1', 80)).toBeUndefined();
  });

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::a9fe:a9fe%eth0',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ])('refuses %s, because a cloud provides credentials at this address', (address) => {
    expect(refused(DEFAULT_POLICY, address, 80)).toContain('cloud');
    expect(refused(DEFAULT_POLICY, 'a.example', 80, address)).toContain('cloud');
  });
});

describe('an IPv6 address that contains an IPv4 address', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  /** Any IPv4 address. About half of them are refused addresses. */
  const ipv4 = fc.oneof(
    fc.tuple(byte, byte, byte, byte),
    fc.tuple(fc.constantFrom(10, 127), byte, byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.constantFrom([100, 100, 100, 200], [172, 16, 0, 1], [168, 63, 129, 16]),
  );
  type Bytes = readonly [number, number, number, number];
  const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
  const pairs = ([a, b, c, d]: Bytes) => `${hex(a, b)}:${hex(c, d)}`;
  const forms: Record<string, (bytes: Bytes) => string> = {
    compatible: (bytes) => `::${bytes.join('.')}`,
    mapped: (bytes) => `::ffff:${pairs(bytes)}`,
    translated: (bytes) => `::ffff:0:${pairs(bytes)}`,
    NAT64: (bytes) => `64:ff9b::${pairs(bytes)}`,
    'NAT64, 48 bits': ([a, b, c, d]) => `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}::`,
    'NAT64, 56 bits': ([a, b, c, d]) => `64:ff9b:1:${hex(7, a)}:${hex(0, b)}:${hex(c, d)}::`,
    'NAT64, 64 bits': ([a, b, c, d]) => `64:ff9b:1:7:${hex(0, a)}:${hex(b, c)}:${hex(d, 0)}:0`,
    'NAT64, 96 bits': (bytes) => `64:ff9b:1::7:0:${pairs(bytes)}`,
    '6to4': (bytes) => `2002:${pairs(bytes)}::1`,
    'Teredo server': (bytes) => `2001:0:${pairs(bytes)}:0:0:a246:27e9`,
    Teredo: (bytes) => `2001:0:5db8:d822:0:0:${pairs(bytes.map((each) => each ^ 0xff) as unknown as Bytes)}`,
    ISATAP: (bytes) => `2606:4700::200:5efe:${pairs(bytes)}`,
  };
  const denying: Policy = { ...DEFAULT_POLICY, hosts: { allow: undefined, deny: ['93.0.0.0/8', '10.0.0.0/8'] } };

  it.each(Object.entries(forms))('is refused if the contained IPv4 address is refused: %s', (_, form) => {
    fc.assert(
      fc.property(ipv4, fc.constantFrom(DEFAULT_POLICY, STRICT_POLICY, denying), (bytes, policy) => {
        fc.pre(refused(policy, bytes.join('.'), 443) !== undefined);
        expect(refused(policy, 'a.example', 443, form(bytes as unknown as Bytes))).toBeDefined();
      }),
    );
  });

  it('is allowed if the contained IPv4 address is allowed', () => {
    for (const form of Object.values(forms)) {
      expect(refused(DEFAULT_POLICY, 'a.example', 443, form([93, 184, 216, 34]))).toBeUndefined();
    }
  });
});

describe('parseHostPattern', () => {
  it.each(['', 'a b', '*.', 'http://x', 'x:0', 'x:70000', '10.0.0.0/33', '999.1.1.1', 'fd00::/129', 'a..b', 'x*.org'])(
    'refuses the invalid host %j',
    (text) => {
      expect(parseHostPattern(text)).toBeUndefined();
    },
  );
});

describe('a host behind a proxy', () => {
  const rules = new HostRules(strictWith(['10.0.0.0/8', '*.example:443', 'search']));

  it('is allowed by its name, or by its address if it has no name', () => {
    expect(rules.refusedUnseen('a.example', 443)).toBeUndefined();
    expect(rules.refusedUnseen('search', 9200)).toBeUndefined();
    expect(rules.refusedUnseen('10.1.2.3', 9200)).toBeUndefined();
    expect(new HostRules(STRICT_POLICY).refusedUnseen('a.example', 443)).toBeUndefined();
  });

  it('is not allowed by the addresses of its name, because they are unknown', () => {
    expect(rules.refusedHost('other.org', 443)).toBeUndefined();
    expect(rules.refusedUnseen('other.org', 443)).toMatch(/does not contain the name other.org:443/);
    expect(rules.refusedUnseen('a.example', 80)).toMatch(/does not contain/);
    expect(rules.refusedUnseen('127.0.0.1', 80)).toMatch(/does not contain/);
  });
});
