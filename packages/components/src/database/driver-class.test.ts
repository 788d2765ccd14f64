import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJdbcUrl } from '@headrace/languages/java/sql';
import { describe, expect, it } from 'vitest';
import { checkDatabase, standInWarning } from './driver-class.ts';

describe('checkDatabase', () => {
  const problems = (driver: string, connectionString: string) =>
    [...checkDatabase({ driver, connectionString })].map(
      ({ parameter, severity = 'error' }) => `${parameter} ${severity}`,
    );

  it('checks driver and URL without a connection', () => {
    expect(problems('org.postgresql.Driver', 'jdbc:postgresql://h/d')).toEqual([]);
    expect(problems('com.mysql.jdbc.Driver', 'jdbc:mariadb://h/d')).toEqual([]);
    expect(problems('org.h2.Driver', 'jdbc:h2:mem:x')).toEqual(['connectionString warning']);
    expect(problems('oracle.jdbc.OracleDriver', 'jdbc:oracle:thin:@h:1:X')).toEqual(['driver error']);
    expect(problems('org.postgresql.Drivr', 'jdbc:x:y')).toEqual(['driver error', 'connectionString error']);
  });

  it.each([
    ['org.postgresql.Driver', 'jdbc:postgresql://h/d?sslmode=verfy-full', 'error', 'verify-full'],
    ['com.mysql.cj.jdbc.Driver', 'jdbc:mysql://h/d?sslMode=VERIFY_IDENTTY', 'error', 'VERIFY_IDENTITY'],
    ['org.mariadb.jdbc.Driver', 'jdbc:mariadb://h/d?sslMode=verify-ful', 'error', 'verify-full'],
    ['com.microsoft.sqlserver.jdbc.SQLServerDriver', 'jdbc:sqlserver://h;encrypt=stric', 'warning', 'strict'],
    ['net.sourceforge.jtds.jdbc.Driver', 'jdbc:jtds:sqlserver://h/d;ssl=requir', 'warning', 'require'],
  ])('%s: reports a misspelt TLS parameter in %s', (driver, connectionString, severity, meant) => {
    const found = [...checkDatabase({ driver, connectionString })];
    expect(found).toMatchObject([{ hint: `Did you mean ${meant}?` }]);
    expect(found[0]?.severity ?? 'error').toBe(severity);
    const mended = connectionString.replace(/[^=]*$/, meant);
    expect([...checkDatabase({ driver, connectionString: mended })]).toEqual([]);
  });

  it('suggests the name after jdbc: that is similar', () => {
    const [problem] = checkDatabase({ driver: 'org.postgresql.Driver', connectionString: 'jdbc:postgersql://h/d' });
    expect(problem?.hint).toBe('Did you mean jdbc:postgresql:?');
  });

  it('suggests the driver that is similar', () => {
    const [problem] = checkDatabase({ driver: 'org.postgresql.Drivr', connectionString: 'jdbc:postgresql:d' });
    expect(problem?.hint).toBe('Did you mean org.postgresql.Driver?');
  });

  it('refuses an H2 database with data and does not change its file', () => {
    const dir = mkdtempSync(join(tmpdir(), 'headrace-h2-'));
    try {
      const url = parseJdbcUrl(`jdbc:h2:${join(dir, 'state')}`);
      expect(standInWarning(url)).toMatch(/SQLite is used in its place .*state\.sqlite/);
      writeFileSync(join(dir, 'state.mv.db'), 'H:2');
      expect(() => standInWarning(url)).toThrow(/state\.mv\.db cannot be read/);
      writeFileSync(join(dir, 'state.sqlite'), '');
      expect(standInWarning(url)).toMatch(/SQLite/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
