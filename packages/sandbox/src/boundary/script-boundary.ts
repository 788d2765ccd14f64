/**
 * The wall of the operating system around a process. `none` says why this machine has no such wall. Tools are absolute
 * paths.
 */
export type ScriptBoundary =
  | { readonly kind: 'bubblewrap'; readonly path: string }
  | { readonly kind: 'unshare'; readonly path: string; readonly setpriv: string }
  | { readonly kind: 'none'; readonly reason: string };

/** A boundary that this machine has. */
export type UsableBoundary = Exclude<ScriptBoundary, { kind: 'none' }>;
