const EXACT = new Intl.NumberFormat('en-GB');
const ROUNDED = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Returns a number with separators: `3,376`. */
export function exact(value: number): string {
  return EXACT.format(value);
}

/** Returns a number for a headline: `3,376`, `34.2K`, `3.4M`. Numbers below 10,000 are exact. */
export function rounded(value: number): string {
  return Math.abs(value) < 10_000 ? EXACT.format(Math.round(value)) : ROUNDED.format(value);
}

/** Returns a rate for a headline. A rate below 1 has a digit, so that a slow run does not look idle. */
export function rate(value: number): string {
  return value >= 0.05 && value < 1 ? value.toFixed(1) : rounded(value);
}

/** Returns a size in binary units: `512 bytes`, `1.5 MiB`. */
export function bytes(value: number): string {
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Returns a share as a percentage: `0 %`, `<1 %`, `47 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 1) return '<1 %';
  // Do not round 99.6 % to 100 %, which would look finished.
  return `${value < 100 ? Math.floor(value) : 100} %`;
}
