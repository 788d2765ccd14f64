import { expect, it } from 'vitest';
import { loadLibrary, missingLibrary } from './optional-library.ts';

it('reports an optional library that is not installed with the command that installs it', () => {
  const problem = missingLibrary('mssql', () => false);
  expect(problem).toEqual({
    code: 'HR_LIBRARY_MISSING',
    message: expect.stringMatching(
      /^SQL Server needs a package that is not installed: npm install mssql@\^\d+\.\d+\.\d+$/,
    ),
    hint: expect.stringContaining('-g'),
  });
});

it('reports no problem for an installed optional library, and loads it', async () => {
  expect(missingLibrary('mssql')).toBeUndefined();
  expect((await loadLibrary('mssql')).default.ConnectionPool).toBeTypeOf('function');
});
