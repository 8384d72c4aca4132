const NAME_LENGTH = 100;

/** Client name for the history: one line without invisible characters. Null if nothing is left. */
export function clientName(given: string): string | null {
  const name = given.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
  return name === '' ? null : name.slice(0, NAME_LENGTH).toWellFormed();
}
