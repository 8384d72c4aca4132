import { sql } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';

/**
 * The words of the index that begin with what was typed. FTS5 reads every place of every word with that beginning before it
 * gives the first call, but walks along a whole word as far as it is asked; so a beginning that few words have is replaced by
 * these words. Up to three letters the index knows the places of beginnings themselves.
 */
export interface SearchTerms {
  /** All of them; null when there are many, or when it is not certain how the index writes them. */
  beginningWith(typed: string): readonly string[] | null;
}

const PLAIN = /^[a-z0-9]{4,}$/;
const TERMS_MOST = 8;
/** Before every other letter. */
const LOWEST = '\u0001';

export function createSearchTerms(connection: Connection, db: QueryBuilder): SearchTerms {
  connection.run(sql`create virtual table temp.call_words using fts5vocab(main, call_search, instance)`.compile(db));

  function firstFrom(least: string): string | undefined {
    return connection.first(sql<{ term: string }>`select term from temp.call_words where term >= ${least} limit 1`.compile(db))?.term;
  }

  return {
    beginningWith(typed) {
      const beginning = typed.toLowerCase();
      if (!PLAIN.test(beginning)) return null;
      const terms: string[] = [];
      for (let term = firstFrom(beginning); term?.startsWith(beginning) === true; term = firstFrom(term + LOWEST)) {
        if (terms.length === TERMS_MOST) return null;
        terms.push(term);
      }
      return terms;
    },
  };
}
