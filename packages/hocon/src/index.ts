export { ArgumentError } from './arguments.ts';
export { ConfigError } from './config-error.ts';
export { EditError, setValue } from './edit.ts';
export { loadFile, parseFile } from './files.ts';
export { fromValue } from './from-value.ts';
export {
  getBoolean,
  getBytes,
  getConfig,
  getConfigList,
  getDouble,
  getDuration,
  getDurationNanos,
  getInt,
  getIntList,
  getList,
  getLong,
  getNumber,
  getPeriod,
  getString,
  getStringList,
} from './getters.ts';
export type { IncludedText, IncludeLoader, IncludeRequest } from './include.ts';
export type { Limits } from './limits.ts';
export { defaultLimits } from './limits.ts';
export type {
  BooleanNode,
  ConfigNode,
  ListNode,
  NullNode,
  NumberNode,
  ObjectNode,
  Origin,
  PlainValue,
  Replaced,
  StringNode,
} from './node.ts';
export { Float } from './node.ts';
export type { ParseOptions, ParseResult } from './parse.ts';
export { parse } from './parse.ts';
export { PathError, parsePath, renderPath } from './path.ts';
export type { Problem, ProblemCode, ProblemKind } from './problem.ts';
export type { RenderOptions } from './render.ts';
export { render } from './render.ts';
export type { PathLike } from './tree-path.ts';
export { entryPaths, getPath, hasPath } from './tree-path.ts';
export type { Period } from './units.ts';
export { toValue } from './value.ts';
