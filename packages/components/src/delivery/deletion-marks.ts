import { contractError, type Document, type DocumentTable, type IndexerSettings, kindOf } from '@headrace/engine';

/** The settings of the block `indexer` that turn a document into a delete, or cause other deletes. */
export type DeletionSettings = Pick<
  IndexerSettings,
  'deletionMarkerField' | 'deletionMarkerFieldValue' | 'deleteByFieldField' | 'deleteByFieldValue' | 'childrenField'
>;

/** Recognizes documents that are deletes, and what they delete. */
export class DeletionMarks {
  readonly #settings: DeletionSettings;

  /**
   * Throws `HR_COMPONENT_CONTRACT` if there is a field without its value: each document without the field would be a
   * delete.
   */
  constructor(settings: DeletionSettings) {
    const { deletionMarkerField: field, deletionMarkerFieldValue: value } = settings;
    const arePair = field === undefined ? value === undefined : typeof field === 'string' && typeof value === 'string';
    if (!arePair) {
      throw contractError(
        `deletionMarkerField is ${kindOf(field)} and deletionMarkerFieldValue is ${kindOf(value)}, not two texts`,
        'Pass what deletionSettings(settings) returns.',
      );
    }
    this.#settings = settings;
  }

  /**
   * Returns whether the document is a delete: the connector has requested it, or the first value of the marker field, as
   * text, is the value in the settings.
   */
  areOn(document: Document): boolean {
    if (document.isDelete) return true;
    const { deletionMarkerField, deletionMarkerFieldValue } = this.#settings;
    return deletionMarkerField !== undefined && document.text(deletionMarkerField) === deletionMarkerFieldValue;
  }

  /** Throws if a document of the table may be a delete of its connector: then each must be encoded alone. */
  requireNone(table: DocumentTable): void {
    if (table.has('___skipped')) throw new Error('These documents must be encoded one at a time');
  }

  /**
   * Returns the field and the value of the documents to delete; undefined: the document deletes the one with its id.
   */
  fieldOf(document: Document): { field: string; value: string } | undefined {
    const { deleteByFieldField, deleteByFieldValue } = this.#settings;
    if (deleteByFieldField === undefined || deleteByFieldValue === undefined) return undefined;
    const field = document.text(deleteByFieldField);
    const value = document.text(deleteByFieldValue);
    return field === undefined || value === undefined ? undefined : { field, value };
  }
}

/** Returns these settings of the block `indexer`. */
export function deletionSettings(settings: Partial<IndexerSettings>): DeletionSettings {
  const { deletionMarkerField, deletionMarkerFieldValue, deleteByFieldField, deleteByFieldValue, childrenField } =
    settings;
  return {
    // Encoders do not read it. It keeps failed documents with lines of families from an indexer that cannot read them.
    ...(childrenField === undefined ? {} : { childrenField }),
    ...(deletionMarkerField === undefined ? {} : { deletionMarkerField }),
    ...(deletionMarkerFieldValue === undefined ? {} : { deletionMarkerFieldValue }),
    ...(deleteByFieldField === undefined ? {} : { deleteByFieldField }),
    ...(deleteByFieldValue === undefined ? {} : { deleteByFieldValue }),
  };
}
