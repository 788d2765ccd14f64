/** What an indexer writes to. Two configs with the same output write to the same documents. */
export interface Output {
  /**
   * The server, without credentials, in one spelling. It comes from the config, because a server could claim to be another
   * one.
   */
  readonly place: string;
  /** The index, alias, table or collection. Undefined if it depends on the documents. */
  readonly name: string | undefined;
}

/** The changes that other runs make while an output is rebuilt. */
export interface Journal {
  /** A file, which the rebuild has created and removes. */
  readonly path: string;
  /** The names of the live outputs, such as the indices of the alias. Only changes of these are recorded. */
  readonly live: readonly string[];
}

/** How the runs of this process know each other by their destinations. The protocol is in `run/destinations.ts`. */
export interface DestinationAccess {
  /**
   * Enters a destination as a writer. Waits while another run moves an alias there.
   * @param alone why the changes of this run cannot be recorded, for messages. Then it also waits until all rebuilds of
   * the destination have ended, and a rebuild that begins later waits for this run. Undefined if they can
   * @param cancelMove makes a request fail that would still move an alias to this index: its rebuild has ended without
   * knowing the outcome. It is called before the run writes. Undefined if a move of this destination cannot be late
   */
  write(output: Output, alone: string | undefined, cancelMove?: (index: string) => Promise<void>): Promise<WriterPass>;
  /**
   * Enters a destination as a rebuild. Waits for the writers whose changes cannot be recorded.
   * @param names all names of the output: first the alias, then its indices and their other aliases
   */
  rebuild(place: string, names: readonly string[]): Promise<RebuildPass>;
}

/** The right to write to a destination. */
export interface WriterPass {
  /**
   * Begins a request. Waits while a rebuild moves its alias. Returns the journals to which the acknowledged changes must
   * be appended before `leave`.
   * @param changes how many documents the request may change
   * @param signal aborted when the request is no longer wanted. The promise then rejects
   */
  enter(changes: number, signal: AbortSignal): Promise<readonly Journal[]>;
  /**
   * Ends a request.
   * @param changes the number that `enter` received
   * @param unknown how many of these documents the destination may have changed without saying so
   */
  leave(changes: number, unknown: number): void;
  /** Reports that changes could not be appended to a journal. Its rebuild fails. */
  broken(journal: Journal, reason: string): void;
  /** Gives the right back. Further calls do nothing. */
  close(): void;
}

/** The right to replace an output. */
export interface RebuildPass {
  /** The path for the journal of this rebuild. There is no file yet. */
  readonly path: string;
  /**
   * Calls a function while no other run has a request in flight in this place. Afterwards the writers use the journal
   * that the function returns; undefined: none. If it throws, they use the same one as before.
   * Rejects without a call if the requests in flight take too long.
   */
  exclusively<T>(work: (others: OtherWriters) => Promise<{ journal: Journal | undefined; result: T }>): Promise<T>;
  /**
   * Notes that the alias is about to move to this index. Unless `moved` follows, the next writer cancels the move, also if
   * the thread or the process is killed. Call it in `exclusively`, and wait for it before the request is sent.
   */
  moving(index: string): Promise<void>;
  /** Notes that the move has ended, and that its outcome is known. */
  moved(): void;
  /** Ends the rebuild: nothing is recorded any more, and the journal is removed. Further calls do nothing. */
  close(): void;
}

/** What is known about the writers of a place while none of them has a request in flight. */
export interface OtherWriters {
  /** At most how many documents requests without a known outcome may have changed. */
  readonly unknown: number;
  /** Why changes are missing in the journal. Undefined if none are. */
  readonly broken: string | undefined;
}
