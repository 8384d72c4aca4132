import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * The index terms that begin with the typed prefix. FTS5 reads every position of every term with that prefix before it
 * returns the first call, but reads a complete term only as far as needed; so a prefix with few terms is replaced by
 * these terms. Up to three letters the index stores the positions of prefixes themselves.
 */
export interface SearchTerms {
  /** All of them; null when there are many, or when their spelling in the index is uncertain. */
  beginningWith(typed: string): Promise<readonly string[] | null>;
}

const PLAIN = /^[a-z0-9]{4,}$/;
const TERMS_MOST = 8;
/** Sorts before every other letter. */
const LOWEST = '\u0001';

export async function createSearchTerms(db: Db): Promise<SearchTerms> {
  await sql`create virtual table temp.call_words using fts5vocab(main, call_search, instance)`.execute(db);

  async function firstFrom(least: string): Promise<string | undefined> {
    return (await sql<{ term: string }>`select term from temp.call_words where term >= ${least} limit 1`.execute(db)).rows[0]?.term;
  }

  return {
    async beginningWith(typed) {
      const beginning = typed.toLowerCase();
      if (!PLAIN.test(beginning)) return null;
      const terms: string[] = [];
      for (let term = await firstFrom(beginning); term?.startsWith(beginning) === true; term = await firstFrom(term + LOWEST)) {
        if (terms.length === TERMS_MOST) return null;
        terms.push(term);
      }
      return terms;
    },
  };
}
