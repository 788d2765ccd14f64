/**
 * What becomes of a run while another one of the same config waits or goes on: it goes beside it, it is refused, or it
 * waits until that one has ended.
 */
export const OVERLAPS = ['allow', 'refuse', 'queue'] as const;

export type Overlap = (typeof OVERLAPS)[number];
