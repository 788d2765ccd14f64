const NOT_BY_UNIT = /[\u0130\u03a3\ud800-\udfff]/;

/**
 * Returns the text in lower case. Each UTF-16 unit is changed separately, so that positions stay: capital I with a dot
 * becomes a plain i, sigma has one small form, and surrogate pairs are unchanged.
 */
export function foldUnits(text: string): string {
  if (!NOT_BY_UNIT.test(text)) return text.toLowerCase();
  let folded = '';
  for (let i = 0; i < text.length; i++) folded += text.charAt(i).toLowerCase().charAt(0);
  return folded;
}
