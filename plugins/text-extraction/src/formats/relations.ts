import { posix } from 'node:path';
import { readXml } from './xml.ts';
import type { ZipEntry } from './zip.ts';

/** A relation of a part of a DOCX, XLSX or PPTX file to another part. */
export interface Relation {
  /** The last word of the type, such as notesSlide. */
  readonly type: string;
  /** The path in the file. */
  readonly path: string;
}

/** Returns the relations of a part by their id. */
export async function readRelations(entries: readonly ZipEntry[], part: string): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>();
  const folder = posix.dirname(part);
  const entry = entries.find(({ name }) => name === `${folder}/_rels/${posix.basename(part)}.rels`);
  if (entry === undefined) return relations;
  readXml(await entry.read(), {
    open(name, attributes) {
      if (name !== 'Relationship' || attributes.get('TargetMode') === 'External') return;
      const target = attributes.get('Target') ?? '';
      relations.set(attributes.get('Id') ?? '', {
        type: posix.basename(attributes.get('Type') ?? ''),
        path: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return relations;
}
