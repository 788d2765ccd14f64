import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { lightHash } from '../testing/light-hash.test.support.ts';
import { Authenticator } from './authenticator.ts';
import { delaySeconds, FailureDelay } from './failure-delay.ts';
import { hashPassword, matchesHash, parsePasswordHash } from './password-hash.ts';

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

/** Creates a clock that only `sleep` advances. `sleep` records its duration and resolves immediately. */
function stillClock() {
  const slept: number[] = [];
  let time = 0;
  return {
    slept,
    now: () => time,
    sleep: async (seconds: number) => {
      slept.push(seconds);
      time += seconds;
    },
    forward: (seconds: number) => {
      time += seconds;
    },
  };
}

describe('password hashes', () => {
  it('match only their password', async () => {
    const text = await hashPassword('géheim');
    expect(text).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    const hash = parsePasswordHash(text);
    if (hash === undefined) throw new Error('not read');
    expect(await matchesHash('géheim', hash)).toBe(true);
    expect(await matchesHash('geheim', hash)).toBe(false);
    expect(await hashPassword('géheim')).not.toBe(text);
  });

  it.each(['', 'secret', '$scrypt$ln=30,r=8,p=1$AAAA$AAAA', '$scrypt$ln=15,r=8,p=1$AAAA$AA', '$argon2id$v=19$x$y'])(
    'are refused if the format is unknown: %s',
    (text) => expect(parsePasswordHash(text)).toBeUndefined(),
  );
});

describe('repeated login failures', () => {
  it('delay the answers to wrong logins from an address more and more, but never delay correct logins', async () => {
    const clock = stillClock();
    const authenticator = new Authenticator({ password: 'right', users: [] }, new FailureDelay(clock));
    const attempt = (password: string, address = '10.0.0.1') =>
      authenticator.authenticate(basic(`a:${password}`), address);
    for (let i = 0; i < 8; i++) expect(await attempt(`wrong${i}`)).toBeUndefined();
    expect(clock.slept).toEqual([0.5, 1, 2, 4]);
    for (const address of ['10.0.0.2', '10.0.0.1', '10.0.0.1']) {
      expect(await attempt('right', address)).toEqual({ name: 'a', role: 'admin' });
    }
    expect(clock.slept).toHaveLength(4);
  });

  it('are not cleared for one user by a correct login of another user', async () => {
    const clock = stillClock();
    const users = [
      { name: 'mallory', role: 'reader', password: 'm' },
      { name: 'anna', role: 'admin', password: 'a' },
    ] as const;
    const authenticator = new Authenticator({ users }, new FailureDelay(clock));
    const attempt = (credentials: string) => authenticator.authenticate(basic(credentials), '10.0.0.1');
    for (let i = 0; i < 8; i++) {
      expect(await attempt(`anna:wrong${i}`)).toBeUndefined();
      expect(await attempt('mallory:m')).toMatchObject({ name: 'mallory' });
    }
    expect(clock.slept).toEqual([0.5, 1, 2, 4]);
    expect(await attempt('anna:a')).toMatchObject({ name: 'anna' });
    expect(clock.slept).toHaveLength(4);
  });

  it('are counted per address, for known and unknown user names', async () => {
    const clock = stillClock();
    const users = [{ name: 'anna', role: 'admin', password: 'a' }] as const;
    const authenticator = new Authenticator({ users }, new FailureDelay(clock));
    for (let i = 0; i < 5; i++) await authenticator.authenticate(basic(`name${i}:x`), '10.0.0.1');
    expect(clock.slept).toEqual([0.5]);
    await authenticator.authenticate(basic('anna:wrong'), '10.0.0.1');
    expect(clock.slept).toEqual([0.5, 1]);
  });

  it('are not counted for requests without credentials', async () => {
    const clock = stillClock();
    const authenticator = new Authenticator({ password: 'right', users: [] }, new FailureDelay(clock));
    for (let i = 0; i < 50; i++) expect(await authenticator.authenticate(undefined, '10.0.0.1')).toBeUndefined();
    expect(clock.slept).toEqual([]);
  });

  it('are refused immediately if many answers are already delayed', async () => {
    const clock = { now: () => 0, sleep: () => new Promise(() => {}) };
    const delay = new FailureDelay(clock);
    for (let i = 0; i < 4; i++) expect(await delay.failed('10.0.0.1', 'a')).toBe(true);
    for (let i = 0; i < 8; i++) void delay.failed('10.0.0.1', 'a');
    expect(await delay.failed('10.0.0.1', 'a')).toBe(false);
    expect(await delay.failed('10.0.0.2', 'a')).toBe(true);
  });

  it('are counted for a whole IPv6 network, and expire after some time', async () => {
    const clock = stillClock();
    const delay = new FailureDelay(clock);
    for (let i = 0; i < 4; i++) await delay.failed(`2001:db8::${i}`, 'a');
    await delay.failed('2001:db8:0:0:1:2:3:4', 'a');
    expect(clock.slept).toHaveLength(1);
    clock.forward(3600);
    await delay.failed('2001:db8::1', 'a');
    expect(clock.slept).toHaveLength(1);
  });

  it('delay an answer by at most 30 seconds', () => {
    expect([1, 4, 5, 6, 7, 100].map(delaySeconds)).toEqual([0, 0, 0.5, 1, 2, 30]);
  });
});

describe('users of the service', () => {
  it('are identified by name and password, in clear text or hashed', async () => {
    const authenticator = new Authenticator({
      password: 'shared',
      users: [
        { name: 'rita', role: 'reader', password: 'r' },
        { name: 'otto', role: 'operator', passwordHash: await hashPassword('o') },
      ],
    });
    const who = (credentials: string) => authenticator.authenticate(basic(credentials), 'x');
    expect(await who('rita:r')).toMatchObject({ name: 'rita', role: 'reader' });
    expect(await who('otto:o')).toMatchObject({ name: 'otto', role: 'operator' });
    expect(await who('otto:o')).toMatchObject({ name: 'otto', role: 'operator' });
    expect(await who('admin:shared')).toEqual({ name: 'admin', role: 'admin' });
    for (const wrong of ['rita:o', 'otto:r', 'anyone:shared', ':shared', 'rita:'])
      expect(await who(wrong)).toBeUndefined();
  });
});

describe('a flood of wrong passwords from one address', () => {
  /** A clock that never wakes up, so delayed answers never arrive. */
  const never = { now: () => 0, sleep: () => new Promise(() => {}) };

  it.each([
    ['the shared password', { password: 'right', users: [] }],
    ['the password of a user', { users: [{ name: 'ann', role: 'admin', password: 'right' }] }],
    ['a hashed password', { users: [{ name: 'ann', role: 'admin', passwordHash: lightHash('right') }] }],
  ] as const)('does not lock out %s, neither at the same address nor at another', async (_, auth) => {
    const authenticator = new Authenticator(auth, new FailureDelay(never));
    const attempt = (credentials: string, address: string) => authenticator.authenticate(basic(credentials), address);
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) {
      const answers = Array.from({ length: 60 }, (_, i) => attempt(`ann:guess${i}`, '10.0.0.1').catch(() => undefined));
      void Promise.all(answers);
      expect(await attempt('ann:right', address)).toMatchObject({ name: 'ann' });
    }
  });

  it('accepts the second login of a user if the first was refused because the queue was full', async () => {
    const users = [{ name: 'ann', role: 'admin', passwordHash: lightHash('right') }] as const;
    const authenticator = new Authenticator({ users }, new FailureDelay(never));
    const attempt = (credentials: string) => authenticator.authenticate(basic(credentials), '10.0.0.1');
    let guesses = 0;
    const flood = () => {
      for (let i = 0; i < 500; i++) void attempt(`ann:guess${guesses++}`).catch(() => undefined);
    };
    flood();
    const first = attempt('ann:right').catch(() => {
      flood();
      return attempt('ann:right');
    });
    flood();
    expect(await first).toMatchObject({ name: 'ann' });
  });

  it('does not delay other users with hashed passwords, even with many invented names', async () => {
    const users = [
      { name: 'ann', role: 'admin', passwordHash: lightHash('right') },
      { name: 'bob', role: 'admin', passwordHash: lightHash('right') },
    ] as const;
    const authenticator = new Authenticator({ users }, new FailureDelay(never));
    const attempt = (credentials: string) => authenticator.authenticate(basic(credentials), '10.0.0.1');
    const ended: string[] = [];
    for (let i = 0; i < 500; i++) {
      const name = i % 2 === 0 ? 'ann' : `invented${i}`;
      void attempt(`${name}:guess${i}`).catch(() => ended.push(name));
    }
    expect(await attempt('bob:right')).toMatchObject({ name: 'bob' });
    // Ann's queue is full, so these attempts were refused.
    expect(ended.filter((name) => name === 'ann').length).toBeGreaterThan(100);
    await setImmediate();
  });
});
