const NAME_LENGTH = 100;

/** A name as it may stand in the history: one line, without what cannot be seen. Null when nothing is left. */
export function clientName(given: string): string | null {
  const name = given.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
  return name === '' ? null : name.slice(0, NAME_LENGTH).toWellFormed();
}
