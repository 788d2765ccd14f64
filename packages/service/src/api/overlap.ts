/**
 * What happens to a run while another run of the same config is waiting or running: it runs at the same time, it is
 * refused, or it waits until the other run has ended.
 */
export const OVERLAPS = ['allow', 'refuse', 'queue'] as const;

export type Overlap = (typeof OVERLAPS)[number];
