/** Returns the unscaled number of a decimal: an integer, or a big-endian integer in two's complement. */
export function unscaled(raw: number | bigint | Uint8Array): bigint {
  if (!(raw instanceof Uint8Array)) return BigInt(raw);
  if (raw.length === 0) return 0n;
  let value = 0n;
  for (const byte of raw) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(raw.length * 8, value);
}

/** Returns a decimal as text with all its digits: `-0.10`. */
export function decimalText(value: bigint, scale: number): string {
  if (scale <= 0) return String(value * 10n ** BigInt(-scale));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Returns the unscaled number of a text such as `-0.10`; undefined if it is no decimal with at most `scale` digits. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = part.replace(/0+$/, '');
  if (whole === '' || digits.length > scale) return undefined;
  const value = BigInt(whole + digits.padEnd(scale, '0'));
  return sign === '' ? value : -value;
}
