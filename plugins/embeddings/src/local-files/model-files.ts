import { promises } from 'node:fs';
import { join } from 'node:path';
import { allowedPath, HeadraceError } from 'headrace/engine';

/** Returns whether a folder contains the weights of a model, as safetensors or ONNX. */
export async function hasWeights(folder: string): Promise<boolean> {
  for (const name of ['model.safetensors', 'model.onnx', 'onnx/model.onnx', 'model_quantized.onnx']) {
    try {
      await promises.access(allowedPath(join(folder, name), 'read'));
      return true;
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
    }
  }
  return false;
}

/**
 * Returns a text that identifies the files of a model: their names, sizes and times of change. A copy of a model may have
 * another identity, which only costs time.
 */
export async function identityOf(folder: string): Promise<string> {
  const root = allowedPath(folder, 'read');
  const names = await promises.readdir(root, { recursive: true });
  const files = names.toSorted().map(async (name) => {
    const stat = await promises.stat(allowedPath(join(root, name), 'read'));
    return stat.isDirectory() ? [] : [[name, stat.size, stat.mtimeMs]];
  });
  return JSON.stringify((await Promise.all(files)).flat());
}

/** Creates a folder with its parents. */
export async function makeModelFolder(path: string): Promise<void> {
  await promises.mkdir(allowedPath(path, 'write'), { recursive: true });
}

/**
 * Writes a file of a model. The file has its name only when it is complete, so that a run never finds half of a model.
 */
export async function writeModelFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = allowedPath(`${path}.${process.pid}.part`, 'write');
  try {
    // A file of a process that was killed, or a link.
    await promises.rm(temporary, { force: true });
    await promises.writeFile(temporary, content, { flag: 'wx' });
    await promises.rename(temporary, allowedPath(path, 'write'));
  } catch (error) {
    await promises.rm(temporary, { force: true });
    throw error;
  }
}

export async function removeModelFolder(path: string): Promise<void> {
  await promises.rm(allowedPath(path, 'write'), { recursive: true, force: true });
}
