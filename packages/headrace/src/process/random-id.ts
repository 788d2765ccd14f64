/**
 * A random UUID (version 4) for a run. It must be unique, not secret, so `Math.random` is enough: `node:crypto` takes
 * 10 to 20 ms to load.
 */
export function randomId(): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16));
  digits[12] = 4;
  // The variant of RFC 9562: 8, 9, a or b.
  digits[16] = 8 + Math.floor(Math.random() * 4);
  const hex = digits.map((digit) => digit.toString(16)).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
