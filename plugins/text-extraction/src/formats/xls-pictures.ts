import { picturesIn } from './office-art.ts';
import type { Pictures } from './pictures.ts';

/** Types of records. (Source: [MS-XLS] 2.3.) */
const DRAWING_GROUP = 0x00eb;
const CONTINUE = 0x003c;
const END = 0x000a;

/** Adds the pictures of an Excel 97 workbook. They are in one drawing group, which is divided into records of 8 KiB. */
export function addXlsPictures(workbook: Uint8Array, pictures: Pictures): void {
  const data = Buffer.from(workbook.buffer, workbook.byteOffset, workbook.byteLength);
  const parts: Buffer[] = [];
  let isInGroup = false;
  for (let at = 0; at + 4 <= data.length; ) {
    const type = data.readUInt16LE(at);
    const next = at + 4 + data.readUInt16LE(at + 2);
    // What follows is about single sheets.
    if (type === END) break;
    isInGroup = type === DRAWING_GROUP || (isInGroup && type === CONTINUE);
    if (isInGroup) parts.push(data.subarray(at + 4, next));
    at = next;
  }
  for (const picture of picturesIn(Buffer.concat(parts))) pictures.add(picture);
}
