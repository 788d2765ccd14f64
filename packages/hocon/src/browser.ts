// The exports for browsers: everything that does not need the file system.
export { PathError, parsePath, renderPath } from './lexing/path.ts';
export type { IncludedText, IncludeLoader, IncludeRequest } from './loading/include.ts';
export type { ParseResult } from './loading/parse.ts';
export { parse } from './loading/parse.ts';
export type { ParseOptions } from './loading/parse-options.ts';
export { parseSyntax } from './syntax/parse-syntax.ts';
export type {
  FieldSyntax,
  KeySyntax,
  ListSyntax,
  ObjectSyntax,
  ScalarSyntax,
  Span,
  SyntaxPart,
  SyntaxTree,
  ValueSyntax,
} from './syntax/syntax-tree.ts';
export { listOf, objectOf } from './syntax/syntax-tree.ts';
export { ArgumentError } from './tree/arguments.ts';
export { ConfigError } from './tree/config-error.ts';
export type { Limits } from './tree/limits.ts';
export { defaultLimits } from './tree/limits.ts';
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
} from './tree/node.ts';
export { Float } from './tree/node.ts';
export type { Problem, ProblemCode, ProblemKind } from './tree/problem.ts';
export { fromValue } from './values/from-value.ts';
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
} from './values/getters.ts';
export type { PathLike } from './values/tree-path.ts';
export { entryPaths, getPath, hasPath } from './values/tree-path.ts';
export type { Period } from './values/units.ts';
export { toValue } from './values/value.ts';
export { setValue } from './writing/edit.ts';
export { EditError } from './writing/edit-error.ts';
export { insertItem, moveItem, removeItem, removeKey, setAt } from './writing/edit-value.ts';
export type { EditPath } from './writing/locate.ts';
export type { RenderOptions } from './writing/render.ts';
export { render } from './writing/render.ts';
export type { TextChange } from './writing/text-change.ts';
export { applyChanges } from './writing/text-change.ts';
export type { TextStyle } from './writing/text-style.ts';
export { styleOf } from './writing/text-style.ts';
