import { createDecipheriv, hash } from 'node:crypto';
import { OleFile } from './ole.ts';
import { type Attributes, readXml } from './xml.ts';

/** The password with which Excel encrypts workbooks that are only protected against changes. Everybody can open them. */
const DEFAULT_PASSWORD = 'VelvetSweatshop';

/** The most rounds of hashing. Office has 100,000, and the standard allows 10 million, which take seconds. */
const MAX_ROUNDS = 1_000_000;
/** The rounds of the older form of encryption. */
const STANDARD_ROUNDS = 50_000;
/** The size of the parts that are encrypted separately. */
const SEGMENT_BYTES = 4096;
/** The bytes of the size at the start of the encrypted file. */
const SIZE_BYTES = 8;
/** Fills keys that are longer than a hash. */
const FILLER = 0x36;

/** What is encrypted with a key that is made of the password: the input and the hash of the check, and the key. */
const CHECK_INPUT = Buffer.from('fea7d2763b4b9e79', 'hex');
const CHECK_HASH = Buffer.from('d7aa0f6d3061344e', 'hex');
const SECRET_KEY = Buffer.from('146e0be7abacd0d6', 'hex');

/**
 * Decrypts an Office file (MS-OFFCRYPTO) that is encrypted with Excel's default password or with one of the given ones.
 * Returns undefined if it needs another password, or is encrypted in a way that Office has not used since 2007.
 */
export async function decryptOffice(bytes: Uint8Array, passwords: readonly string[]): Promise<Uint8Array | undefined> {
  const file = await OleFile.open(bytes);
  const info = bufferOf(file.stream('EncryptionInfo'));
  const encrypted = bufferOf(file.stream('EncryptedPackage'));
  if (info.length < 8 || encrypted.length < SIZE_BYTES) return undefined;
  const minor = info.readUInt16LE(2);
  const size = encrypted.readUIntLE(0, 6);
  for (const password of [DEFAULT_PASSWORD, ...passwords]) {
    const key = Buffer.from(password, 'utf16le');
    const decrypted =
      minor === 4 ? decryptAgile(info.subarray(8), encrypted, key) : decryptStandard(info, encrypted, key);
    if (decrypted !== undefined) return decrypted.subarray(0, size);
  }
  return undefined;
}

/** Decrypts the form that Office writes since 2010, whose parameters are in XML. */
function decryptAgile(xml: Buffer, encrypted: Buffer, password: Buffer): Buffer | undefined {
  const elements = new Map<string, Attributes>();
  readXml(xml, { open: (name, attributes) => void elements.set(name, attributes) });
  const data = parametersOf(elements.get('keyData'));
  const key = parametersOf(elements.get('encryptedKey'));
  if (data === undefined || key === undefined || key.rounds > MAX_ROUNDS) return undefined;
  const hashed = hashOf(password, key.algorithm, key.salt, key.rounds);
  const open = (block: Buffer, content: Buffer) => {
    const secret = sized(hash(key.algorithm, Buffer.concat([hashed, block]), 'buffer'), key.keyBytes);
    return decipher(`aes-${key.keyBytes * 8}-cbc`, secret, sized(key.salt, key.blockBytes), content);
  };
  const check = hash(key.algorithm, open(CHECK_INPUT, key.checkInput), 'buffer');
  if (!check.equals(open(CHECK_HASH, key.checkHash).subarray(0, check.length))) return undefined;
  const secret = open(SECRET_KEY, key.secret).subarray(0, data.keyBytes);
  const segments: Buffer[] = [];
  for (let at = SIZE_BYTES, i = 0; at < encrypted.length; at += SEGMENT_BYTES, i++) {
    const iv = sized(hash(data.algorithm, Buffer.concat([data.salt, numberOf(i)]), 'buffer'), data.blockBytes);
    const segment = wholeBlocks(encrypted.subarray(at, at + SEGMENT_BYTES));
    segments.push(decipher(`aes-${data.keyBytes * 8}-cbc`, secret, iv, segment));
  }
  return Buffer.concat(segments);
}

/** Decrypts the form of Office 2007: AES with a key of SHA-1. */
function decryptStandard(info: Buffer, encrypted: Buffer, password: Buffer): Buffer | undefined {
  if (info.length < 12) return undefined;
  const header = 12;
  const verifier = header + info.readUInt32LE(8);
  if (info.length < header + 20 || info.length < verifier + 72) return undefined;
  const keyBytes = info.readUInt32LE(header + 16) / 8;
  const cipher = `aes-${keyBytes * 8}-ecb`;
  if (![16, 24, 32].includes(keyBytes) || info.readUInt32LE(verifier) !== 16) return undefined;
  const salt = info.subarray(verifier + 4, verifier + 20);
  const hashed = hash('sha1', Buffer.concat([hashOf(password, 'sha1', salt, STANDARD_ROUNDS), numberOf(0)]), 'buffer');
  const key = Buffer.concat([FILLER, 0x5c].map((filler) => hash('sha1', mixed(hashed, filler), 'buffer')));
  const open = (content: Buffer) => decipher(cipher, key.subarray(0, keyBytes), null, content);
  const check = hash('sha1', open(info.subarray(verifier + 20, verifier + 36)), 'buffer');
  if (!check.equals(open(info.subarray(verifier + 40, verifier + 72)).subarray(0, check.length))) return undefined;
  return open(wholeBlocks(encrypted.subarray(SIZE_BYTES)));
}

interface AgileParameters {
  readonly algorithm: string;
  readonly keyBytes: number;
  readonly blockBytes: number;
  readonly salt: Buffer;
  readonly rounds: number;
  readonly checkInput: Buffer;
  readonly checkHash: Buffer;
  readonly secret: Buffer;
}

/** Returns undefined for ciphers that Office does not use. */
function parametersOf(attributes: Attributes | undefined): AgileParameters | undefined {
  const algorithm = attributes?.get('hashAlgorithm')?.toLowerCase().replace('-', '') ?? '';
  const keyBytes = Number(attributes?.get('keyBits')) / 8;
  const isKnown = /^(sha1|sha256|sha384|sha512)$/.test(algorithm) && [16, 24, 32].includes(keyBytes);
  const isAes = attributes?.get('cipherAlgorithm') === 'AES' && attributes.get('cipherChaining') === 'ChainingModeCBC';
  if (!isKnown || !isAes) return undefined;
  const binary = (name: string) => Buffer.from(attributes.get(name) ?? '', 'base64');
  return {
    algorithm,
    keyBytes,
    blockBytes: 16,
    salt: binary('saltValue'),
    rounds: Number(attributes.get('spinCount') ?? 0),
    checkInput: binary('encryptedVerifierHashInput'),
    checkHash: binary('encryptedVerifierHashValue'),
    secret: binary('encryptedKeyValue'),
  };
}

/** Returns the hash of the password, repeated, so that trying passwords takes long. */
function hashOf(password: Buffer, algorithm: string, salt: Buffer, rounds: number): Buffer {
  let hashed = hash(algorithm, Buffer.concat([salt, password]), 'buffer');
  const next = Buffer.alloc(4 + hashed.length);
  for (let i = 0; i < rounds; i++) {
    next.writeUInt32LE(i, 0);
    next.set(hashed, 4);
    hashed = hash(algorithm, next, 'buffer');
  }
  return hashed;
}

function decipher(cipher: string, key: Buffer, iv: Buffer | null, content: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, iv).setAutoPadding(false);
  return Buffer.concat([decipher.update(content), decipher.final()]);
}

function bufferOf(bytes: Uint8Array | undefined): Buffer {
  return bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Returns bytes cut or filled to a size. */
function sized(bytes: Buffer, size: number): Buffer {
  return bytes.length >= size
    ? bytes.subarray(0, size)
    : Buffer.concat([bytes, Buffer.alloc(size - bytes.length, FILLER)]);
}

/** A truncated file may end inside a block. */
function wholeBlocks(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - (bytes.length % 16));
}

function mixed(hashed: Buffer, filler: number): Buffer {
  const bytes = Buffer.alloc(64, filler);
  for (const [i, byte] of hashed.entries()) bytes[i] = byte ^ filler;
  return bytes;
}
