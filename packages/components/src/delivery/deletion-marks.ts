import type { Document, IndexerSettings } from '@headrace/engine';

/** The settings of the block `indexer` that make a document a request to delete. */
export type DeletionSettings = Pick<
  IndexerSettings,
  'deletionMarkerField' | 'deletionMarkerFieldValue' | 'deleteByFieldField' | 'deleteByFieldValue'
>;

/** Shows which documents are requests to delete, and what. */
export class DeletionMarks {
  readonly #settings: DeletionSettings;

  constructor(settings: DeletionSettings) {
    this.#settings = settings;
  }

  /** Whether the document is marked: the first value of the field counts, as text. */
  areOn(document: Document): boolean {
    const { deletionMarkerField, deletionMarkerFieldValue } = this.#settings;
    return deletionMarkerField !== undefined && document.text(deletionMarkerField) === deletionMarkerFieldValue;
  }

  /** The field and the value whose documents must be deleted; undefined: the one with the id. */
  fieldOf(document: Document): { field: string; value: string } | undefined {
    const { deleteByFieldField, deleteByFieldValue } = this.#settings;
    if (deleteByFieldField === undefined || deleteByFieldValue === undefined) return undefined;
    const field = document.text(deleteByFieldField);
    const value = document.text(deleteByFieldValue);
    return field === undefined || value === undefined ? undefined : { field, value };
  }
}

/** Those settings of the block `indexer`. */
export function deletionSettings(settings: IndexerSettings): DeletionSettings {
  const { deletionMarkerField, deletionMarkerFieldValue, deleteByFieldField, deleteByFieldValue } = settings;
  return {
    ...(deletionMarkerField === undefined ? {} : { deletionMarkerField }),
    ...(deletionMarkerFieldValue === undefined ? {} : { deletionMarkerFieldValue }),
    ...(deleteByFieldField === undefined ? {} : { deleteByFieldField }),
    ...(deleteByFieldValue === undefined ? {} : { deleteByFieldValue }),
  };
}
