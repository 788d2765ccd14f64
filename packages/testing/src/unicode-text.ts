import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/** Generates each code point of Unicode that is not a surrogate, as a text. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map((index) => {
  return String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES);
});

/**
 * Generates texts of all code points of Unicode. Use it instead of `fc.string({ unit: 'binary' })`, which takes 0.8 s of
 * each process to build a table of all code points.
 */
export function unicodeText(lengths: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ ...lengths, unit: codePoint });
}
