import { HeadraceError } from 'headrace/engine';
import type * as Onnx from 'onnxruntime-node';

/**
 * Loads ONNX Runtime. It is not installed with this plugin, because its install script downloads files that only
 * graphics cards need, from a server that is not the npm registry. Throws `HR_LIBRARY_MISSING` if it is not installed.
 */
export async function loadRuntime(): Promise<typeof Onnx> {
  try {
    const { default: onnx } = (await import('onnxruntime-node')) as unknown as { default: typeof Onnx };
    return onnx;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new HeadraceError(
      'HR_LIBRARY_MISSING',
      'Local models need a package that is not installed: npm install onnxruntime-node@^1.30.0 --ignore-scripts',
      {
        hint:
          'Add -g if Headrace was installed with -g. The package contains the libraries for processors. Its install ' +
          'script, which --ignore-scripts skips, downloads those for graphics cards.',
      },
    );
  }
}
