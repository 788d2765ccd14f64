import { HeadraceError, messageOf } from 'headrace/engine';

const HINT =
  'The folder needs config.json, tokenizer.json or vocab.txt, and model.safetensors or an ONNX file. Copy the files of a ' +
  'model of Hugging Face into it, or correct the path.';

/** Returns the error for a model whose files cannot be read, with its folder. Other errors of Headrace stay the same. */
export function modelError(folder: string, error: unknown): HeadraceError {
  if (error instanceof HeadraceError && error.code !== 'HR_SOURCE_UNREADABLE') return error;
  const message = `Cannot load the model in ${folder}: ${messageOf(error)}`;
  return new HeadraceError('HR_SOURCE_UNREADABLE', message, { cause: error, hint: HINT });
}
