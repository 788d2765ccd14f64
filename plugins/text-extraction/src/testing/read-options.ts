import type { ReadOptions } from '../formats/format.ts';

/** The options of a config that sets none. */
export const readOptions: ReadOptions = { dates: 'format', hidden: 'include', passwords: [] };
