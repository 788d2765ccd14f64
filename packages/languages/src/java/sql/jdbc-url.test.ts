import { homedir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DatabaseUrlError } from './database-url-error.ts';
import { displayUrl, parseJdbcUrl } from './jdbc-url.ts';

/** Returns a parsed URL with its parameters as an object. */
function parsed(url: string): object {
  const { properties, ...rest } = parseJdbcUrl(url) as { properties?: ReadonlyMap<string, string> };
  return properties === undefined || properties.size === 0
    ? rest
    : { ...rest, properties: Object.fromEntries(properties) };
}

describe('parseJdbcUrl with several hosts of MySQL or MariaDB', () => {
  const hosts = (url: string) => {
    const read = parseJdbcUrl(url);
    return [displayUrl(read), read.kind === 'mysql' ? read.properties.get('usessl') : undefined];
  };

  it.each(['mysql:loadbalance', 'mysql:replication', 'mariadb:loadbalance', 'mariadb:sequential', 'mariadb:failover'])(
    'reads the hosts in their order with the mode of jdbc:%s:',
    (mode) => {
      const scheme = mode.split(':')[0];
      expect(hosts(`jdbc:${mode}://h1:3307,h2/db?useSSL=false`)).toEqual([`${scheme}://h1:3307,h2:3306/db`, 'false']);
    },
  );

  it('reads hosts in parentheses', () => {
    expect(hosts('jdbc:mysql://address=(host=h1)(port=3307)/db')[0]).toBe('mysql://h1:3307/db');
    const two =
      'jdbc:mysql:replication://address=(host=h1)(port=3307)(type=source),address=(host=::1)(type=replica)/db';
    expect(hosts(two)[0]).toBe('mysql://h1:3307,[::1]:3306/db');
    expect(hosts('jdbc:mysql://u:p@(host=h1,port=3307),h2:5/db')[0]).toBe('mysql://h1:3307,h2:5/db');
  });
});

describe('parseJdbcUrl', () => {
  it.each([
    [
      'jdbc:postgresql://db.example.org:5433/shop?user=u&password=a%26b&currentSchema=s',
      {
        kind: 'postgres',
        scheme: 'postgresql',
        hosts: [{ host: 'db.example.org', port: 5433 }],
        database: 'shop',
        properties: { user: 'u', password: 'a&b', currentschema: 's' },
      },
    ],
    [
      'jdbc:postgresql://a,b:6000,[::1]:7/db',
      {
        kind: 'postgres',
        scheme: 'postgresql',
        hosts: [
          { host: 'a', port: 5432 },
          { host: 'b', port: 6000 },
          { host: '::1', port: 7 },
        ],
        database: 'db',
      },
    ],
    [
      'jdbc:postgresql:db',
      { kind: 'postgres', scheme: 'postgresql', hosts: [{ host: 'localhost', port: 5432 }], database: 'db' },
    ],
    [
      'jdbc:postgresql:/',
      { kind: 'postgres', scheme: 'postgresql', hosts: [{ host: 'localhost', port: 5432 }], database: undefined },
    ],
    [
      'jdbc:redshift://c.example.org/dev',
      { kind: 'postgres', scheme: 'redshift', hosts: [{ host: 'c.example.org', port: 5439 }], database: 'dev' },
    ],
    [
      'jdbc:mysql://u:p%40w@h/d%20b?useSSL=false',
      {
        kind: 'mysql',
        scheme: 'mysql',
        hosts: [{ host: 'h', port: 3306 }],
        database: 'd b',
        properties: { usessl: 'false', user: 'u', password: 'p@w' },
      },
    ],
    [
      'jdbc:mariadb://h:3307/',
      { kind: 'mysql', scheme: 'mariadb', hosts: [{ host: 'h', port: 3307 }], database: undefined },
    ],
    [
      'jdbc:sqlserver://h:1444;databaseName=d;password={a;b}}c};encrypt=false',
      {
        kind: 'sqlserver',
        scheme: 'sqlserver',
        host: 'h',
        port: 1444,
        instance: undefined,
        database: 'd',
        properties: { databasename: 'd', password: 'a;b}c', encrypt: 'false' },
      },
    ],
    [
      'jdbc:sqlserver://h\\SQLEXPRESS;database=d',
      {
        kind: 'sqlserver',
        scheme: 'sqlserver',
        host: 'h',
        port: undefined,
        instance: 'SQLEXPRESS',
        database: 'd',
        properties: { database: 'd' },
      },
    ],
    [
      'jdbc:sqlserver://;serverName=h;portNumber=99',
      {
        kind: 'sqlserver',
        scheme: 'sqlserver',
        host: 'h',
        port: 99,
        instance: undefined,
        database: undefined,
        properties: { servername: 'h', portnumber: '99' },
      },
    ],
    [
      'jdbc:jtds:sqlserver://h:1433/d;instance=i',
      {
        kind: 'sqlserver',
        scheme: 'jtds',
        host: 'h',
        port: 1433,
        instance: undefined,
        database: 'd',
        properties: { instance: 'i' },
      },
    ],
    ['jdbc:sqlite:/tmp/a b.db', { kind: 'sqlite', file: '/tmp/a b.db', readOnly: false, insteadOf: undefined }],
    ['jdbc:sqlite:file:x.db?mode=ro', { kind: 'sqlite', file: 'x.db', readOnly: true, insteadOf: undefined }],
    ['jdbc:sqlite::memory:', { kind: 'sqlite', file: ':memory:', readOnly: false, insteadOf: undefined }],
    [
      'jdbc:h2:mem:test;DB_CLOSE_DELAY=-1',
      { kind: 'sqlite', file: ':memory:', readOnly: false, insteadOf: { file: undefined } },
    ],
    [
      'jdbc:h2:~/data;MODE=MySQL',
      {
        kind: 'sqlite',
        file: `${homedir()}/data.sqlite`,
        readOnly: false,
        insteadOf: { file: `${homedir()}/data.mv.db` },
      },
    ],
  ])('parses %s', (url, expected) => {
    expect(parsed(url)).toEqual(expected);
  });

  it.each([
    ['jdbc:oracle:thin:@h:1521:ORCL', /Oracle databases are not supported/],
    ['jdbc:derby://h/d', /Derby databases are not supported/],
    ['jdbc:db2://h/d', /Db2/],
    ['jdbc:x:y', /jdbc:x:/],
    ['postgresql://h/d', /not a JDBC URL/],
    ['', /not a JDBC URL/],
    ['jdbc:postgresql://h:99999/d', /host/],
    ['jdbc:postgresql://h/d?password=%zz', /hex digits/],
    ['jdbc:redshift:iam://c/d', /host/],
    ['jdbc:mysql:nonsense://h/d', /host/],
    ['jdbc:mysql://address=(host=h)(port=x)/d', /host/],
    ['jdbc:h2:tcp://h/d', /H2 databases of the form jdbc:h2:tcp:/],
    ['jdbc:sqlite::resource:a.db', /archive/],
  ])('refuses %s and suggests an alternative', (url, message) => {
    const error = (() => {
      try {
        return parseJdbcUrl(url);
      } catch (thrown) {
        return thrown as DatabaseUrlError;
      }
    })();
    expect(error).toBeInstanceOf(DatabaseUrlError);
    expect((error as DatabaseUrlError).message).toMatch(message);
    expect((error as DatabaseUrlError).hint).not.toBe('');
  });

  it.each([
    ['jdbc:postgres://h/d', 'Did you mean jdbc:postgresql:?'],
    ['jdbc:pgsql://h/d', 'Did you mean jdbc:postgresql:?'],
    ['jdbc:mssql://h', 'Did you mean jdbc:sqlserver:?'],
    ['postgres://u:secret@h/d', 'Write jdbc:postgresql: instead of postgres:.'],
    ['mysql://u:secret@h/d', 'Write jdbc:mysql: instead of mysql:.'],
  ])('refuses %s with the correct URL in the hint', (url, hint) => {
    expect(() => parseJdbcUrl(url)).toThrow(expect.objectContaining({ hint }));
  });

  it('never shows the password in messages', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (password) => {
        const secret = `Zq9${password}`;
        const encoded = encodeURIComponent(secret.toWellFormed());
        const urls = [
          `jdbc:postgresql://u:${encoded}@h/d?password=${encoded}`,
          `jdbc:sqlserver://h;password={${secret.replaceAll('}', '}}')}}`,
          `jdbc:mysql://h/d?password=${secret}`,
          `jdbc:oracle:thin:u/${secret}@h`,
        ];
        for (const url of urls) {
          let said: string;
          try {
            said = displayUrl(parseJdbcUrl(url));
          } catch (error) {
            said = `${(error as Error).message} ${(error as DatabaseUrlError).hint}`;
          }
          expect(said).not.toContain('Zq9');
        }
      }),
    );
  });
});
