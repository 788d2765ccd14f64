import { findPackageJSON } from 'node:module';
import { type ErrorCode, HeadraceError, type ParameterProblem } from '@headrace/engine';

/**
 * Large libraries that only some configs need: `npm install headrace` does not install them. `range` contains the
 * tested versions, the same as in `peerDependencies` of package.json. All other files import only types from them.
 */
const LIBRARIES = {
  '@aws-sdk/client-s3': { for: 'Amazon S3', range: '^3.1169.0', load: () => import('@aws-sdk/client-s3') },
  '@azure/storage-blob': { for: 'Azure Blob Storage', range: '^12.34.0', load: () => import('@azure/storage-blob') },
  '@google-cloud/storage': {
    for: 'Google Cloud Storage',
    range: '^8.4.0',
    load: () => import('@google-cloud/storage'),
  },
  '@redis/client': { for: 'Redis', range: '^6.3.1', load: () => import('@redis/client') },
  protobufjs: { for: 'Protobuf', range: '^8.8.1', load: () => import('protobufjs') },
  mssql: { for: 'SQL Server', range: '^12.7.14', load: () => import('mssql') },
};

export type OptionalLibrary = keyof typeof LIBRARIES;

/** The error for a library that is not installed. It says how to install the library. */
interface MissingLibrary {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** Returns the problem to report if a library is not installed; undefined if it is. Does not load the library. */
export function missingLibrary(name: OptionalLibrary, isInstalled = isFound): MissingLibrary | undefined {
  if (isInstalled(name)) return undefined;
  const { for: system, range } = LIBRARIES[name];
  return {
    code: 'HR_LIBRARY_MISSING',
    // The message contains the command, because failures of documents show no hints.
    message: `${system} needs a package that is not installed: npm install ${name}@${range}`,
    hint: 'Add -g to the command if Headrace was installed with -g.',
  };
}

/** Reports a parameter that needs a library which is not installed. */
export function* checkLibrary(
  name: OptionalLibrary,
  parameter: ParameterProblem['parameter'],
): Generator<ParameterProblem> {
  const missing = missingLibrary(name);
  if (missing !== undefined) yield { parameter, ...missing, atStart: true };
}

/** Loads a library. Throws `HR_LIBRARY_MISSING` if it is not installed. */
export function loadLibrary<Name extends OptionalLibrary>(name: Name): ReturnType<(typeof LIBRARIES)[Name]['load']>;
export async function loadLibrary(name: OptionalLibrary): Promise<unknown> {
  const missing = missingLibrary(name);
  if (missing !== undefined) throw new HeadraceError(missing.code, missing.message, { hint: missing.hint });
  return LIBRARIES[name].load();
}

function isFound(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}
