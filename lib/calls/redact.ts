import type { CallError, CallLog, CallProgress } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { replaceSecrets } from '#lib/contract/replace-secrets.ts';
import { REDACTED } from '#lib/contract/secret-names.ts';
import { secretPlace } from '#lib/contract/secret-places.ts';
import { hideUrlPasswords, holdsUrlPassword, mayHoldSecret, urlPasswords } from '#lib/contract/secret-urls.ts';

/**
 * Replaces secrets before the first copy is made: what is stored, shown, sent as an event or exported never held them.
 * What is a secret is told by lib/contract/replace-secrets.ts and, within addresses, by lib/contract/secret-urls.ts. The secret
 * itself is then also cut out of results, errors, progress and logs: out of texts, and where a text or a number is nothing else.
 * Names and the words of an error's kind stay what they are, and what was JSON of a shape is JSON of that shape.
 */
export interface Redaction {
  /** JSON text without secrets. */
  readonly text: string;
  /** JSON Pointers of what was replaced. */
  readonly paths: readonly string[];
  /** Kept in memory while the call runs, never written. */
  readonly secrets: SecretTexts;
}

/** The secret texts themselves, the longest first; `all` when they are so many that any text may be one. */
export type SecretTexts = readonly string[] | 'all';

/** Shorter ones stand in many a text by chance. */
const SHORTEST_CUT_OUT = 6;
/** A value that is nothing but the secret, such as a PIN; what is shorter still may be any count. */
const SHORTEST_WHOLE = 4;
const MOST_CUT_OUT = 200;

/** @param schemas of every revision that the call may run on */
export function redactArguments(args: unknown, argsText: string, schemas: readonly Readonly<Record<string, unknown>>[]): Redaction {
  const place = secretPlace(schemas);
  if (place === null && !mayHoldSecret(argsText)) return { text: argsText, paths: [], secrets: [] };
  const paths: string[] = [];
  const texts = new Set<string>();
  const cleaned = replaceSecrets(args, {
    place,
    secret({ path, value }) {
      paths.push(path);
      collectTexts(value, texts);
      return REDACTED;
    },
    text(text, path) {
      if (!holdsUrlPassword(text)) return text;
      paths.push(path);
      for (const password of urlPasswords(text)) collectTexts(password, texts);
      return hideUrlPasswords(text);
    },
  });
  return paths.length === 0
    ? { text: argsText, paths, secrets: [] }
    : { text: JSON.stringify(cleaned), paths, secrets: secretTexts(texts) };
}

/** For results as JSON text: what stands under names of secrets, and the texts of this call's secret arguments. */
export function redactJsonText(text: string, secrets: SecretTexts): string {
  if (secrets.length === 0 && !mayHoldSecret(text)) return text;
  const parsed = parseExactJson(text);
  let found = false;
  const cleaned = replaceSecrets(parsed, {
    place: null,
    secret() {
      found = true;
      return REDACTED;
    },
    text(one) {
      const cut = redactText(one, secrets);
      found ||= cut !== one;
      return cut;
    },
    number(one) {
      const cut = redactNumber(one, secrets);
      found ||= cut !== one;
      return cut;
    },
  });
  return found ? JSON.stringify(cleaned) : text;
}

export function redactValue(value: unknown, secrets: SecretTexts): unknown {
  return replaceSecrets(value, {
    place: null,
    secret: () => REDACTED,
    text: (text) => redactText(text, secrets),
    number: (one) => redactNumber(one, secrets),
  });
}

export function redactText(text: string, secrets: SecretTexts): string {
  if (secrets === 'all') return text.length < SHORTEST_WHOLE ? text : REDACTED;
  return secrets.reduce<string>((cleaned, secret) => {
    if (secret.length < SHORTEST_CUT_OUT) return cleaned === secret ? REDACTED : cleaned;
    return cleaned.includes(secret) ? cleaned.replaceAll(secret, REDACTED) : cleaned;
  }, hideUrlPasswords(text));
}

function redactNumber(value: number | bigint, secrets: SecretTexts): unknown {
  const text = String(value);
  return (secrets === 'all' ? text.length >= SHORTEST_WHOLE : secrets.includes(text)) ? REDACTED : value;
}

export function redactError(error: CallError, secrets: SecretTexts): CallError {
  return {
    ...error,
    message: redactText(error.message, secrets),
    ...(error.issues === undefined
      ? {}
      : { issues: error.issues.map((issue) => ({ ...issue, message: redactText(issue.message, secrets) })) }),
    ...(error.data === undefined ? {} : { data: redactValue(error.data, secrets) }),
  };
}

export function redactLog(log: CallLog, secrets: SecretTexts): CallLog {
  const { time, level } = log;
  const message = redactText(log.message, secrets);
  return { time, level, message, data: log.data == null ? null : redactValue(log.data, secrets) };
}

export function redactProgress(progress: CallProgress, secrets: SecretTexts): CallProgress {
  return progress.message === null ? progress : { ...progress, message: redactText(progress.message, secrets) };
}

/** As they are, and as they stand where JSON is part of a text. */
function secretTexts(texts: ReadonlySet<string>): SecretTexts {
  if (texts.size > MOST_CUT_OUT) return 'all';
  const spelled = new Set([...texts].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  return [...spelled].toSorted((a, b) => b.length - a.length);
}

function collectTexts(value: unknown, into: Set<string>): void {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) collectTexts(item, into);
  else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value);
    if (text.length >= SHORTEST_WHOLE) into.add(text);
  }
}
