/** The texts of all groups of three digits. Created when needed, because small runs do not need them. */
let threeDigits: readonly string[] | undefined;
const MOST_THOUSANDS = 2 ** 31;

let lastThousands = 0;
let lastThousandsText = '';

/**
 * Returns the text of a safe integer. V8 caches thousands of the number texts that it creates, and the garbage
 * collector copies them again and again. Record numbers occur only once, so it is faster to build their text here.
 */
export function integerText(value: number): string {
  if (value < 1000 || value >= MOST_THOUSANDS) return `${value}`;
  const thousands = Math.floor(value / 1000);
  if (thousands !== lastThousands) {
    lastThousands = thousands;
    lastThousandsText = `${thousands}`;
  }
  threeDigits ??= Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'));
  return lastThousandsText + (threeDigits[value - thousands * 1000] as string);
}

/**
 * Returns the text of a double as `Double.toString` of Java (JDK 19 or newer): the shortest digits that identify the
 * number, as in JavaScript, but always with a fraction: `1.0`, `0.001`, `1.0E10`, `1.0E-4`. Numbers from 10^-3 to 10^7
 * have no exponent.
 */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  const magnitude = Math.abs(value);
  if (magnitude === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const text = String(value);
    return Number.isInteger(value) ? `${text}.0` : text;
  }
  const shortest = value.toExponential();
  // If one digit is enough to identify the number, Java writes the two nearest digits. The smallest double is 4.9E-324,
  // not 5.0E-324.
  const scientific = shortest.includes('.') ? shortest : value.toExponential(1);
  return scientific.replace('e+', 'E').replace('e', 'E');
}

/** A float represents every integer up to this number exactly. */
const EXACT_INTEGERS = 2 ** 24;

/**
 * Returns the double that prints as the shortest text of this 32-bit float. Java stores `1.2f` and writes `1.2`, but a
 * simple conversion would write `1.2000000476837158`.
 */
export function widenFloat(value: number): number {
  const float = Math.fround(value);
  const magnitude = Math.abs(float);
  if (!Number.isFinite(float) || (Number.isInteger(float) && magnitude <= EXACT_INTEGERS)) return float;
  if (magnitude >= 1e-4 && magnitude < 1e7) {
    const shortest = shortestOf(magnitude);
    return float < 0 ? -shortest : shortest;
  }
  for (let precision = 2; precision <= 9; precision++) {
    const candidate = Number(float.toPrecision(precision));
    if (Math.fround(candidate) === float) return candidate;
  }
  return float;
}

/**
 * Returns the same result without creating texts, because vectors have hundreds of floats. The 24 bits of the float
 * multiplied by a power of ten up to 10^12 are exact in a double, and so are the digits. The division rounds once, as
 * reading the digits would.
 */
function shortestOf(float: number): number {
  let exponent = 6;
  while (float < (POWERS_OF_TEN[exponent + 4] as number) && exponent > -4) exponent--;
  for (let decimals = Math.max(0, 5 - exponent); decimals <= 8 - exponent; decimals++) {
    const scale = POWERS_OF_TEN[decimals + 4] as number;
    const scaled = float * scale;
    const up = Math.floor(scaled + 0.5);
    // If two digits are equally near, Java uses the even one.
    const candidate = (up - scaled === 0.5 && up % 2 === 1 ? up - 1 : up) / scale;
    if (Math.fround(candidate) === float) return candidate;
  }
  return float;
}

/** The powers of ten from 10^-4 to 10^12. */
const POWERS_OF_TEN = [1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12] as const;
