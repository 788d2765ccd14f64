/**
 * The reaction of the service if another run of the same config is waiting or running: it starts the new run too
 * (`allow`), refuses it (`refuse`), or lets it wait until the other run has ended (`queue`).
 */
export const OVERLAPS = ['allow', 'refuse', 'queue'] as const;

export type Overlap = (typeof OVERLAPS)[number];
