/** The alphabet of Z85, which writes four bytes with five characters. (Source: ZeroMQ RFC 32.) */
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));

/** Returns the bytes of a text in Z85. */
export function z85Bytes(text: string): Uint8Array {
  if (text.length % 5 !== 0) throw new Error(`a text of ${text.length} characters is not Z85`);
  const bytes = Buffer.alloc((text.length / 5) * 4);
  for (let at = 0; at < text.length; at += 5) {
    let number = 0;
    for (const character of text.slice(at, at + 5)) {
      const value = VALUES.get(character);
      if (value === undefined) throw new Error(`${JSON.stringify(character)} is not a character of Z85`);
      number = number * 85 + value;
    }
    if (number >= 2 ** 32) throw new Error('a group of Z85 has more than 32 bits');
    bytes.writeUInt32BE(number, (at / 5) * 4);
  }
  return bytes;
}
