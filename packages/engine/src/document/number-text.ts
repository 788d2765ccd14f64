/**
 * The text of a double as Java's `Double.toString` gives it (JDK 19 and later: the shortest digits that
 * identify the number, as in JavaScript), always with a fraction: `1.0`, `0.001`, `1.0E10`, `1.0E-4`.
 * Plain notation from 10^-3 up to 10^7, exponents outside.
 */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  const magnitude = Math.abs(value);
  if (magnitude === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const text = String(value);
    return Number.isInteger(value) ? `${text}.0` : text;
  }
  const scientific = value.toExponential();
  const e = scientific.indexOf('e');
  const digits = scientific.slice(0, e);
  const exponent = scientific.slice(scientific[e + 1] === '+' ? e + 2 : e + 1);
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent}`;
}

/**
 * The double that prints as the shortest text of this 32-bit float: Java stores `1.2f` and writes `1.2`,
 * where a plain widening would write `1.2000000476837158`.
 */
export function widenFloat(value: number): number {
  const float = Math.fround(value);
  if (!Number.isFinite(float) || Number.isInteger(float)) return float;
  for (let precision = 6; precision <= 9; precision++) {
    const candidate = Number(float.toPrecision(precision));
    if (Math.fround(candidate) === float) return candidate;
  }
  return float;
}
