export const DESCRIPTION = 'Measures of a text: words, sentences, reading time, favourite words.';

export const INSTRUCTIONS = 'Use measure_text instead of counting yourself; models miscount.';

/** Silent reading of an adult, from a meta-analysis of 190 studies (Brysbaert 2019). */
const WORDS_A_MINUTE = 238;

interface Options {
  /** The text to measure. */
  text: string;
  /** Language of the text as a tag such as en, de or ja; it decides where words and sentences end. */
  language?: string;
  /**
   * How many of the most used words to list.
   * @integer
   * @minimum 0
   * @maximum 100
   */
  top?: number;
  /** Words that the list leaves out, in any case. */
  leave_out?: string[];
}

/**
 * Count the words, sentences, paragraphs and characters of a text, estimate how long it takes to read, and list its most
 * used words. Words are found by the rules of the language, so scripts without spaces are counted too.
 */
export function run({ text, language = 'en', top = 5, leave_out = [] }: Options) {
  const locale = localeOf(language);
  const words = split(text, locale, 'word');
  const left = new Set(leave_out.map((word) => word.toLocaleLowerCase(locale)));
  const uses = new Map<string, number>();
  for (const word of words) {
    const key = word.toLocaleLowerCase(locale);
    if (!left.has(key)) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const order = new Intl.Collator(locale);
  const favourites = [...uses].toSorted(([one, many], [other, more]) => more - many || order.compare(one, other)).slice(0, top);
  return {
    words: words.length,
    different_words: new Set(words.map((word) => word.toLocaleLowerCase(locale))).size,
    sentences: split(text, locale, 'sentence').length,
    paragraphs: text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '').length,
    characters: split(text, locale, 'grapheme').length,
    reading_minutes: Math.round((words.length / WORDS_A_MINUTE) * 10) / 10,
    top_words: favourites.map(([word, count]) => ({ word, count })),
  };
}

function localeOf(language: string): string {
  try {
    const [locale] = Intl.getCanonicalLocales(language);
    if (locale !== undefined) return locale;
  } catch {
    // reported below
  }
  throw new Error(`"${language}" is no language tag. Give one such as "en", "pt-BR" or "ja".`);
}

/** Characters as people see them; words and sentences without punctuation. */
function split(text: string, locale: string, granularity: 'grapheme' | 'word' | 'sentence'): readonly string[] {
  const segments = [...new Intl.Segmenter(locale, { granularity }).segment(text)];
  if (granularity === 'word') return segments.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  return segments.map(({ segment }) => segment).filter((segment) => granularity === 'grapheme' || segment.trim() !== '');
}
