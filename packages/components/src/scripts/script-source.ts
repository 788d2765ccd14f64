import { HeadraceError, type ParameterProblem, READS, Type } from '@headrace/engine';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { Storages } from '../storage/storages.ts';
import { INLINE_SCRIPT } from './script-error.ts';

const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

/** The parameters of a stage with a script in the config or in a file. */
export const scriptParameters = {
  /** The script itself. Either this or scriptPath is required. */
  script: Type.Optional(Type.String()),
  /**
   * The file that holds it: a local path, classpath:x (x in the working directory), or a URI of S3, Google Cloud or
   * Azure, which needs the block s3, gcp or azure. Read when the pipeline starts.
   */
  scriptPath: Type.Optional(Type.String(READS)),
  ...storageParameters,
};

interface ScriptSettings extends StorageSettings {
  readonly script?: string;
  readonly scriptPath?: string;
}

/** Mistakes in what `scriptParameters` gave. */
export function* checkScriptSettings(settings: ScriptSettings): Generator<ParameterProblem> {
  const { script, scriptPath } = settings;
  if ((script === undefined) === (scriptPath === undefined)) {
    yield {
      parameter: script === undefined ? 'script' : 'scriptPath',
      message: script === undefined ? 'Neither script nor scriptPath is given' : 'Both script and scriptPath are given',
      hint: 'Give exactly one of them.',
    };
  }
  yield* checkStorageSettings(settings);
}

/** The text of the script and what to call it. Throws `HR_SOURCE_UNREADABLE` for a file that cannot be read. */
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
