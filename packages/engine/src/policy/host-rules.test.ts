import { describe, expect, it } from 'vitest';
import { parseHostPattern } from './host-pattern.ts';
import { HostRules } from './host-rules.ts';
import { DEFAULT_POLICY, type Policy, STRICT_POLICY } from './policy.ts';

/** What rules say of a host whose name has these addresses; of an address alone when there are none. */
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
  ])('refuses %s, itself and as the address of a name', (address) => {
    expect(refused(STRICT_POLICY, address, 80)).toMatch(/private address|cloud/);
    expect(refused(STRICT_POLICY, 'a.example', 80, address)).toMatch(/private address|cloud/);
  });

  it.each(['93.184.216.34', '2606:4700::1111', '172.32.0.1', '9.9.9.9'])('lets %s be reached', (address) => {
    expect(refused(STRICT_POLICY, address, 443)).toBeUndefined();
    expect(refused(STRICT_POLICY, 'a.example', 443, address)).toBeUndefined();
  });

  it.each(['127.0.0.1.', '2130706433', '0x7f.1', '127.1', '１２７.0.0.1', '[::1]'.slice(1, -1)])(
    'knows the address in %s',
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
    // Who may make names below example.org must not be able to point one at this machine.
    ['*.example.org', 'a.example.org', 443, '127.0.0.1', false],
    ['*', 'a.example.org', 443, '127.0.0.1', false],
    ['10.1.0.0/16', 'x.internal', 9200, '10.1.1.1', true],
    ['10.1.0.0/16', 'x.internal', 9200, '10.2.1.1', false],
    ['[fd00::1]:9200', 'x.internal', 9200, 'fd00::1', true],
    ['fd00::/8', 'x.internal', 9200, 'fd99::1', true],
    ['bücher.example', 'xn--bcher-kva.example', 443, '93.184.216.34', true],
    // Cloud metadata are nobody's business, whatever is allowed.
    ['169.254.169.254', '169.254.169.254', 80, '169.254.169.254', false],
    ['metadata.google.internal', 'metadata.google.internal', 80, '169.254.169.254', false],
  ])('%s: %s:%i at %s is open: %s', (allow, host, port, address, open) => {
    expect(refused(strictWith([allow]), host, port, address) === undefined).toBe(open);
  });
});

describe('hosts.deny', () => {
  it('wins over allow, by name and by address', () => {
    const policy = strictWith(['*.example.org', '10.0.0.0/8'], ['bad.example.org', '10.0.0.9']);
    expect(refused(policy, 'bad.example.org', 443, '93.184.216.34')).toContain('hosts.deny');
    expect(refused(policy, 'x.internal', 443, '10.0.0.9')).toContain('hosts.deny');
    expect(refused(policy, 'x.internal', 443, '10.0.0.8')).toBeUndefined();
  });
});

describe('the default policy', () => {
  it('lets everything be reached but the metadata of clouds', () => {
    expect(refused(DEFAULT_POLICY, 'localhost', 9200, '127.0.0.1', '::1')).toBeUndefined();
    expect(refused(DEFAULT_POLICY, '192.168.1.1', 80)).toBeUndefined();
    for (const address of ['169.254.169.254', '169.254.170.2', '::ffff:169.254.169.254', 'fd00:ec2::254']) {
      expect(refused(DEFAULT_POLICY, address, 80), address).toContain('cloud');
    }
  });
});

describe('a host of a policy', () => {
  it.each(['', 'a b', '*.', 'http://x', 'x:0', 'x:70000', '10.0.0.0/33', '999.1.1.1', 'fd00::/129', 'a..b', 'x*.org'])(
    'is not %j',
    (text) => {
      expect(parseHostPattern(text)).toBeUndefined();
    },
  );
});
