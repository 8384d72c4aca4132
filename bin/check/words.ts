/**
 * Terms that must not come back, with the standard term for each. Checked in Markdown, comments, texts and test names;
 * code, identifiers and quoted output are not checked.
 */
export interface Term {
  readonly pattern: RegExp;
  readonly instead: string;
}

export const TERMS: readonly Term[] = [
  { pattern: /\b(gates?|doorkeepers?)\b/i, instead: 'router, authentication, authorization' },
  { pattern: /\b(fast )?lanes?\b/i, instead: 'route, worker' },
  { pattern: /\brooms?\b/i, instead: 'module, package boundary' },
  { pattern: /\barrows\b/i, instead: 'imports, import rules' },
  { pattern: /(?<!run )\bbench\b(?!\/)/i, instead: 'playground' },
  { pattern: /\b(boards?|boxes)\b/i, instead: 'cache, buffer' },
  { pattern: /\bmisfits?\b|\b(do|does|did) not fit\b/i, instead: 'invalid, validation error' },
  { pattern: /\bhalf within\b|\d ?% within\b/i, instead: 'p50, p95' },
  { pattern: /\btime line\b/i, instead: 'timeline' },
  { pattern: /\bsightings?\b/i, instead: 'occurrences' },
  { pattern: /\bwhat (it|they|\w+ \w+) (has |have |had )?printed\b/i, instead: 'output, stdout, stderr' },
  { pattern: /\b(came in|sent out)\b/i, instead: 'inbound, outbound' },
  { pattern: /\bwhat (could|can) not be sent\b/i, instead: 'failed deliveries, dead letters' },
  { pattern: /\bthe way of the\b/i, instead: 'trace' },
  { pattern: /\bpresent password\b/i, instead: 'current password' },
  { pattern: /\bcomes? in again\b/i, instead: 'sign in' },
  { pattern: /\blinks? to join\b/i, instead: 'invitation link' },
  { pattern: /\bruns? out\b(?! of\b)/i, instead: 'expires, expired' },
  { pattern: /\bthe look\b(?!-)/i, instead: 'theme' },
  { pattern: /\blets? (\w+ )?through\b/i, instead: 'matches' },
  { pattern: /\bneeds you\b/i, instead: 'needs attention' },
  { pattern: /\b(goes|go|went|going) live\b/i, instead: 'is served' },
  { pattern: /\bspare\b/i, instead: 'prewarmed process' },
  { pattern: /\b(puts?|putting) away\b|\bsets? aside\b/i, instead: 'store, cache, archive' },
  { pattern: /\b(tells?|told)\b(?! ([\w.]+ )*?apart\b)|\b(hears?|heard)\b/i, instead: 'emit, notify, report, show' },
  { pattern: /\bwhole\b(?! numbers?\b)/i, instead: 'complete, entire' },
  { pattern: /\b(of|by) (itself|themselves)\b/i, instead: 'automatically' },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: 'fix' },
  { pattern: /\b(other|new|distinct) content\b|\bcontent of (an|the|its) extension\b/i, instead: 'source' },
  { pattern: /\b(marked|faulty) place\b|\bplace of (the|a|its) (fault|failure|error)\b|\bat (its|the) place\b/i, instead: 'location' },
  { pattern: /\badvice\b/i, instead: 'warnings' },
  { pattern: /\bkept (artifacts?|programs?)\b/i, instead: 'build cache' },
  { pattern: /\b(whoever|whomever)\b/i, instead: 'a noun: the caller, the owner' },
  { pattern: /\b(he|his|him|himself)\b/i, instead: 'they, their' },
];

/** `file` matches the path, `text` the sentence around the term. */
export interface Exception {
  readonly file: RegExp;
  readonly text: RegExp;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  { file: /^bin\/check\/(words|find-words\.test)\.ts$/, text: /./, reason: 'the list itself' },
  { file: /^lib\/host\/python-tools\.integration\.test\.ts$/, text: /room|board/i, reason: 'a tool about rooms and board' },
  { file: /^bin\/commands\/call-text\.test\.ts$/, text: /such room/, reason: 'a tool about rooms' },
  { file: /^lib\/schema\/lint-tool\.ts$/, text: /swap switch sync/, reason: 'a list of verbs' },
];

/** Folders with terms left to replace. Remove a folder when it is clean; add none. */
export const NOT_CHECKED: readonly string[] = [];
