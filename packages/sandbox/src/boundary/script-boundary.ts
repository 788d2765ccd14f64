/**
 * The isolation that the operating system provides for a process. `none` contains the reason why this machine has none.
 * Tools are absolute paths.
 */
export type ScriptBoundary =
  | { readonly kind: 'bubblewrap'; readonly path: string }
  | { readonly kind: 'unshare'; readonly path: string; readonly setpriv: string }
  | { readonly kind: 'none'; readonly reason: string };

/** An existing boundary of this machine. */
export type UsableBoundary = Exclude<ScriptBoundary, { kind: 'none' }>;
