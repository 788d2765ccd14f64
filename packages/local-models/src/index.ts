/**
 * Parts of models in local folders, for plugins. Libraries are loaded when a model is opened.
 *
 * @module
 */
export { ModelFiles } from './local-files/model-files.ts';
export { checkRuntime, DEVICES, requireRuntime } from './onnx-runtime.ts';
export {
  DTYPES,
  type Dtype,
  maxBatchTokens,
  onnxFileNames,
  type Pooling,
  readOnnx,
  TokenModel,
  type TokenModelOptions,
  type TokenVectors,
} from './token-model.ts';
export { Tokenizer, type TokenLimits, type TokenPiece } from './tokenizer.ts';
