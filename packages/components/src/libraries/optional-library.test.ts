import { expect, it } from 'vitest';
import { loadLibrary, missingLibrary } from './optional-library.ts';

it('an optional library that is not installed is reported with the command that installs it', () => {
  const problem = missingLibrary('mssql', () => false);
  expect(problem).toEqual({
    code: 'HR_LIBRARY_MISSING',
    message: expect.stringMatching(
      /^SQL Server needs a package that is not installed: npm install mssql@\^\d+\.\d+\.\d+$/,
    ),
    hint: expect.stringContaining('-g'),
  });
});

it('an optional library that is installed is not reported, and loads', async () => {
  expect(missingLibrary('mssql')).toBeUndefined();
  expect((await loadLibrary('mssql')).default.ConnectionPool).toBeTypeOf('function');
});
