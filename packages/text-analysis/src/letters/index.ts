export { removeDiacritics } from './diacritics.ts';
export { graphemeFloor } from './grapheme-boundary.ts';
export { byCodePoints, byUnits, type TextOrder } from './text-order.ts';
