import { HeadraceError, type ParameterProblem, READS, Type } from '@headrace/engine';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { Storages } from '../storage/storages.ts';
import { INLINE_SCRIPT } from './script-error.ts';

const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

/** The parameters of a stage that runs a script. */
export const scriptParameters = {
  /** The script itself. Either script or scriptPath is required. */
  script: Type.Optional(Type.String()),
  /**
   * The file with the script: a local path, classpath:x (x in the working directory), or a URI of S3, Google Cloud or
   * Azure, which needs the block s3, gcp or azure. The file is read when the pipeline starts.
   */
  scriptPath: Type.Optional(Type.String(READS)),
  ...storageParameters,
};

interface ScriptSettings extends StorageSettings {
  readonly script?: string;
  readonly scriptPath?: string;
}

/** Reports problems in the values of `scriptParameters`. */
export function* checkScriptSettings(settings: ScriptSettings): Generator<ParameterProblem> {
  const { script, scriptPath } = settings;
  if ((script === undefined) === (scriptPath === undefined)) {
    yield {
      parameter: script === undefined ? 'script' : 'scriptPath',
      message: script === undefined ? 'Neither script nor scriptPath is given' : 'Both script and scriptPath are given',
      hint: 'Set exactly one of them.',
    };
  }
  yield* checkStorageSettings(settings);
}

/** Returns the text of the script and its name for errors. Throws `HR_SOURCE_UNREADABLE` if the file cannot be read. */
export async function readScript(settings: ScriptSettings): Promise<{ source: string; name: string }> {
  const { script, scriptPath } = settings;
  if (script !== undefined) return { source: script, name: INLINE_SCRIPT };
  if (scriptPath === undefined) throw new HeadraceError('HR_STAGE_START', 'Neither script nor scriptPath is given');
  const storages = new Storages(settings);
  try {
    const content = await storages.readContent(scriptPath, MAX_SCRIPT_BYTES);
    return { source: content.toString().replace(/^\ufeff/, ''), name: scriptPath };
  } finally {
    await storages.close();
  }
}
