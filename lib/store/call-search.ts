import type { CallFilter, CallSelection } from '#lib/contract/call.ts';
import type { CallPosition } from './call-queries.ts';
import type { Db } from './database.ts';
import type { SearchWord } from './search-words.ts';
import type { CallsRow } from './call-rows.ts';

/**
 * Full-text search over calls, newest first by arrival. The index is updated outside of the transactions that calls
 * wait for, and completed before each search.
 */
export interface CallSearch {
  /** A call was written: indexing is due. */
  noteInserted(): void;
  noteFinished(id: string): void;
  /** No call is running any more. */
  noteAllFinished(): void;
  /** By arrival; one more than the limit when there are more. */
  page(filter: CallFilter, words: readonly SearchWord[], beforeSeq: number | null): Promise<CallsRow[]>;
  /** Calls that match the words and the filter, as far as the index knows it. */
  newestSeqs(filter: CallSelection, words: readonly SearchWord[], most: number): Promise<number[]>;
  /** All that match a filter without words, newest first by start; null: the index does not answer it. */
  filtered(filter: CallFilter, after: CallPosition | null): Promise<CallsRow[] | null>;
  /** Within the transaction that removes these calls. */
  remove(db: Db, seqs: readonly number[]): Promise<void>;
  close(): void;
}
