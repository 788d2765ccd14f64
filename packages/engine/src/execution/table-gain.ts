/** Tables of fewer documents than this on average take longer than the documents one at a time. */
const FEWEST_DOCUMENTS = 8;
/** The number of tables that are built before their average size counts. */
const FIRST_TABLES = 8;
/** After tables that were too small, this many documents are not collected into tables. */
const PAUSE_DOCUMENTS = 16_384;

/**
 * Decides whether single documents are collected into tables. It is a loss if the fields of the documents differ so
 * much that few consecutive documents fit into one table, for example if names of fields are data.
 */
export class TableGain {
  #documents = 0;
  #tables = 0;
  #paused = 0;

  /**
   * Returns true if these documents should be collected.
   * @param documents the number of documents that come next
   */
  isExpected(documents: number): boolean {
    if (this.#paused <= 0) return true;
    this.#paused -= documents;
    return false;
  }

  /** Call this for each table that was built. Returns false if no more tables should be built for now. */
  note(documents: number): boolean {
    this.#documents += documents;
    if (++this.#tables < FIRST_TABLES) return true;
    const isGain = this.#documents >= FEWEST_DOCUMENTS * this.#tables;
    this.#documents = this.#tables = 0;
    if (!isGain) this.#paused = PAUSE_DOCUMENTS;
    return isGain;
  }
}
