import { HeadraceError, type Problem, Registry, type RegistrySource, toFailure } from '@headrace/engine';

/** The components that a config may use, or the problem that they cannot be loaded. */
export async function openRegistry(source: RegistrySource): Promise<Registry | Problem> {
  try {
    return await Registry.open(source);
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error;
    return { severity: 'error', path: '', ...toFailure(error, error.code) };
  }
}
