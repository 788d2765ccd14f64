import type { IndexerSettings } from '../component/indexer-settings.ts';
import type { Document } from '../document/document.ts';
import { writeString } from '../document/json-writer.ts';
import type { Undo } from '../execution/undo.ts';

/** The settings of the block `indexer` that concern families. Plain data. */
export type FamilySettings = Required<Pick<IndexerSettings, 'childrenField'>> &
  Pick<IndexerSettings, 'idOverrideField' | 'deletionMarkerField' | 'deletionMarkerFieldValue'>;

/** Returns the settings of families; undefined if `indexer.childrenField` is not set. */
export function familySettings(settings: IndexerSettings): FamilySettings | undefined {
  const { childrenField, idOverrideField, deletionMarkerField, deletionMarkerFieldValue } = settings;
  if (childrenField === undefined) return undefined;
  return {
    childrenField,
    ...(idOverrideField === undefined ? {} : { idOverrideField }),
    ...(deletionMarkerField === undefined ? {} : { deletionMarkerField }),
    ...(deletionMarkerFieldValue === undefined ? {} : { deletionMarkerFieldValue }),
  };
}

/** The first byte of a family line. No encoder begins a line with it. */
export const FAMILY_MARK = '#';

/**
 * Writes the lines that follow encoded documents and name their family: a source document and the children that stages
 * emitted for it. A child has a line with its parent. The last document of a family has a line with the ids of all
 * children. `splitFamilies` reads the lines.
 */
export class FamilyLines {
  readonly #settings: FamilySettings;
  /** The ids of the children of the current family. */
  #ids: string[] = [];
  /** False if the id of a child is unknown. */
  #isComplete = true;

  constructor(settings: FamilySettings) {
    this.#settings = settings;
  }

  /** Adds a document of the current family. Returns its line; an empty text if it names no parent. */
  add(document: Document, isChild: boolean): string {
    const { childrenField, idOverrideField } = this.#settings;
    if (isChild) {
      const override = idOverrideField === undefined ? undefined : document.text(idOverrideField);
      // An empty id fails the child. The id of the child that it should replace is unknown.
      if (override === '') this.#isComplete = false;
      else this.#ids.push(override ?? document.id);
    }
    const parent = document.text(childrenField);
    return parent === undefined ? '' : `${FAMILY_MARK}{"of":${writeString(parent)}}\n`;
  }

  /**
   * Ends the current family. Returns the line of its last document.
   * @param failed true if some children are missing: then the old children stay
   */
  end(parent: Document, failed = false): string {
    const ids = this.#isDelete(parent) ? [] : this.#ids;
    const children = failed || !this.#isComplete ? '' : `,"children":${JSON.stringify(ids)}`;
    this.forget();
    return `${FAMILY_MARK}{"parent":${writeString(parent.id)}${children}}\n`;
  }

  /** Forgets the current family, which has no document that could carry its line. */
  forget(): void {
    this.#ids = [];
    this.#isComplete = true;
  }

  mark(): Undo {
    const ids = this.#ids;
    const { length } = ids;
    const isComplete = this.#isComplete;
    return () => {
      ids.length = length;
      this.#ids = ids;
      this.#isComplete = isComplete;
    };
  }

  #isDelete(document: Document): boolean {
    if (document.isDelete) return true;
    const { deletionMarkerField, deletionMarkerFieldValue } = this.#settings;
    return deletionMarkerField !== undefined && document.text(deletionMarkerField) === deletionMarkerFieldValue;
  }
}
