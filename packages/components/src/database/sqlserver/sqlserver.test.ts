import { defaultMemoryMb } from '@headrace/engine';
import { limitMemory } from '@headrace/engine/testing';
import { parseJdbcUrl, type SqlServerUrl } from '@headrace/languages/java/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { REFERENCE_FORMS } from '../column-values.ts';
import { Database } from '../database.ts';
import { longestValue, sqlServerSettings } from './sqlserver-settings.ts';
import { requireWhole, sqlServerIdText, sqlServerReader } from './sqlserver-values.ts';

// No SQL Server can be started here, so the tests check only the input and output of its driver.

const settings = (url: string, user = 'sa', password = 'pw') =>
  sqlServerSettings(parseJdbcUrl(url) as SqlServerUrl, { user, password });

describe('settings from a URL of SQL Server', () => {
  it('passes the properties of the URL to the driver', () => {
    expect(settings('jdbc:sqlserver://h:1444;databaseName=d;applicationName=a;loginTimeout=5')).toMatchObject({
      server: 'h',
      port: 1444,
      user: 'sa',
      password: 'pw',
      database: 'd',
      connectionTimeout: 5000,
      requestTimeout: 0,
      options: { encrypt: true, trustServerCertificate: false, appName: 'a', useUTC: false },
    });
    expect(settings('jdbc:sqlserver://h\\X;encrypt=false;trustServerCertificate=true')).toMatchObject({
      options: { encrypt: false, trustServerCertificate: true, instanceName: 'X' },
    });
    expect(settings('jdbc:sqlserver://h\\X').port).toBeUndefined();
    expect(settings('jdbc:sqlserver://h;socketTimeout=3000').requestTimeout).toBe(3000);
    expect(settings('jdbc:sqlserver://h;queryTimeout=3').requestTimeout).toBe(3000);
  });

  it('uses the defaults of jTDS for a URL of jTDS', () => {
    expect(settings('jdbc:jtds:sqlserver://h/d;domain=CORP;socketTimeout=3')).toMatchObject({
      server: 'h',
      port: 1433,
      database: 'd',
      domain: 'CORP',
      requestTimeout: 3000,
      options: { encrypt: false },
    });
    expect(settings('jdbc:jtds:sqlserver://h/d;ssl=authenticate').options).toMatchObject({
      encrypt: true,
      trustServerCertificate: false,
    });
  });

  it('supports Windows logins only with NTLM and a password', () => {
    const ntlm = 'jdbc:sqlserver://h;integratedSecurity=true;authenticationScheme=NTLM';
    expect(settings(`${ntlm};domain=CORP`)).toMatchObject({ domain: 'CORP', user: 'sa' });
    expect(settings(ntlm, 'CORP\\me')).toMatchObject({ domain: 'CORP', user: 'me' });
    expect(() => settings('jdbc:sqlserver://h;integratedSecurity=true')).toThrow(/NTLM/);
    expect(() => settings('jdbc:sqlserver://h;authentication=ActiveDirectoryPassword')).toThrow(/not supported/);
  });
});

it('lets SQL Server cut values that are too large, and refuses them', () => {
  onTestFinished(() => limitMemory(defaultMemoryMb()));
  limitMemory(6);
  const longest = 2 ** 20;
  expect(settings('jdbc:sqlserver://h').options).toMatchObject({ textsize: longest });
  expect(longestValue()).toBe(longest);
  requireWhole([null, 7, 'x'.repeat(longest / 2 - 1), Buffer.alloc(longest - 1)], longest);
  expect(() => requireWhole(['x'.repeat(longest / 2)], longest)).toThrow('a row has more than 1 MiB');
  expect(() => requireWhole([Buffer.alloc(longest)], longest)).toThrow('a row has more than 1 MiB');
});

describe('values of SQL Server', () => {
  const reader = (type: string) => sqlServerReader(type, 'c', { forms: REFERENCE_FORMS });

  it('keeps the day of a date with dates: plain, and otherwise reports a date on another day in UTC', () => {
    // The driver returns midnight in the zone of the process.
    const date = new Date(2024, 2, 31);
    const reported: unknown[] = [];
    const report = (...change: unknown[]) => void reported.push(change);
    const plain = sqlServerReader('Date', 'due', { forms: { dates: 'plain', decimals: 'double' }, report });
    expect(plain(date)).toBe('2024-03-31');
    const instant = date.toISOString().replace('.000Z', 'Z');
    expect(sqlServerReader('Date', 'due', { forms: REFERENCE_FORMS, report })(date)).toBe(instant);
    const change = ['date.shifted', { field: 'due', value: '2024-03-31', hint: `It became ${instant}` }];
    expect(reported).toEqual(instant.startsWith('2024-03-31') ? [] : [change]);
  });

  it.each([
    ['BigInt', '9007199254740993', 9007199254740993n],
    ['BigInt', '5', 5],
    ['Int', 7, 7],
    ['Decimal', 1.5, 1.5],
    ['Real', Math.fround(1.1), 1.1],
    ['Bit', true, true],
    ['NVarChar', 'Grüße', 'Grüße'],
    ['UniqueIdentifier', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
    ['VarBinary', Buffer.from([0, 255]), new Uint8Array([0, 255])],
    ['DateTime2', new Date('2024-01-02T03:04:05.678Z'), '2024-01-02T03:04:05.678Z'],
    ['DateTimeOffset', new Date('2024-01-02T03:04:05Z'), '2024-01-02T03:04:05Z'],
    ['Time', new Date(1970, 0, 1, 1, 2, 3, 40), '01:02:03.040'],
    ['Int', null, null],
  ])('converts %s %s', (type, value, expected) => {
    expect(reader(type)(value)).toEqual(expected);
  });

  it('preserves whole doubles as doubles', () => {
    expect(String(reader('Float')(2))).toBe('2.0');
    expect(String(reader('Money')(12))).toBe('12.0');
  });

  it('converts ids to texts', () => {
    expect([1, '5', Buffer.from([255]), null].map(sqlServerIdText)).toEqual(['1', '5', 'ff', null]);
  });
});

describe('a connection to SQL Server', () => {
  it('reports an unreachable server without the password', async () => {
    const database = await Database.open(
      {
        connectionString: 'jdbc:sqlserver://127.0.0.1:1;databaseName=d;loginTimeout=2',
        jdbcUser: 'sa',
        jdbcPassword: 'Wr0ng-Secret',
        connectionRetryPause: 1,
      },
      { debug() {}, info() {}, warn() {}, error() {} },
    );
    expect(database.driver.prepare("select [a?], '?', ? -- ?")).toEqual({
      text: "select [a?], '?', @p1 -- ?",
      parameters: 1,
    });
    const error = (await database.connect().catch((thrown) => thrown)) as Error;
    expect(error.message).toMatch(/^sqlserver:\/\/127\.0\.0\.1:1\/d: .*(ECONNREFUSED|connect)/);
    expect(`${error.message}${error.stack}`).not.toContain('Wr0ng-Secret');
  });
});
