/** Rows above and below the visible part that are rendered too, so that scrolling shows no gaps. */
const OVERSCAN = 12;

/** Returns the rows to render of a list with rows of equal height. `from` is the scroll position in the list. */
export function visibleRange({
  count,
  rowHeight,
  from,
  viewHeight,
}: {
  count: number;
  rowHeight: number;
  from: number;
  viewHeight: number;
}): { start: number; end: number } {
  const first = Math.floor(from / rowHeight);
  const shown = Math.ceil(viewHeight / rowHeight);
  const end = Math.min(count, Math.max(0, first + shown + OVERSCAN));
  return { start: Math.min(end, Math.max(0, first - OVERSCAN)), end };
}
