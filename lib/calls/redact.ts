import type { CallError, WatchedLog, CallProgress } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { replaceSecrets } from '#lib/contract/replace-secrets.ts';
import { type KnownSecrets, spellings } from '#lib/contract/known-secrets.ts';
import { mayNameSecret, REDACTED } from '#lib/contract/secret-names.ts';
import { secretPlace } from '#lib/contract/secret-places.ts';
import { hideSecretTexts, holdsSecretText, secretTextsIn } from '#lib/contract/secret-texts.ts';

/**
 * Replaces secrets before the first copy, so that nothing stored, shown, emitted or exported contains them.
 * lib/contract/replace-secrets.ts finds secrets, and lib/contract/secret-texts.ts those within texts. Secrets of the arguments
 * are also removed from results, errors, progress and logs: within texts, and where a text or number equals one. Names and
 * error kinds stay, and JSON keeps its shape.
 */
export interface Redactor {
  /** @param schemas of every revision that the call may run on */
  arguments(args: unknown, argsText: string, schemas: readonly Readonly<Record<string, unknown>>[]): Redaction;
  /** For results as JSON text: values under secret names, secrets in texts, and the secret arguments of this call. */
  jsonText(text: string, secrets: SecretTexts): string;
  value(value: unknown, secrets: SecretTexts): unknown;
  text(text: string, secrets: SecretTexts): string;
  error(error: CallError, secrets: SecretTexts): CallError;
  log(log: WatchedLog, secrets: SecretTexts): WatchedLog;
  progress(progress: CallProgress, secrets: SecretTexts): CallProgress;
}

export interface Redaction {
  /** JSON text without secrets. */
  readonly text: string;
  /** JSON Pointers of the replaced values. */
  readonly paths: readonly string[];
  /** In memory while the call runs, never stored. */
  readonly secrets: SecretTexts;
}

/** The secret texts, longest first; `all` if there are too many, so that any text may be one. */
export type SecretTexts = readonly string[] | 'all';

/** Shorter ones occur in other texts by chance. */
const SHORTEST_WITHIN = 6;
/** A value that equals the secret, such as a PIN; shorter ones may be any count. */
const SHORTEST_EXACT = 4;
const MOST_CUT_OUT = 200;

/** @param known values known to be secrets by the host */
export function createRedactor(known: KnownSecrets | null = null): Redactor {
  const mayHoldSecret = (json: string): boolean => mayNameSecret(json) || holdsSecretText(json, known);

  function text(one: string, secrets: SecretTexts): string {
    if (secrets === 'all') return one.length < SHORTEST_EXACT ? one : REDACTED;
    return secrets.reduce<string>(
      (cleaned, secret) => {
        if (secret.length < SHORTEST_WITHIN) return cleaned === secret ? REDACTED : cleaned;
        return cleaned.includes(secret) ? cleaned.replaceAll(secret, REDACTED) : cleaned;
      },
      hideSecretTexts(one, known),
    );
  }

  function number(one: number | bigint, secrets: SecretTexts): unknown {
    const digits = String(one);
    const isSecret = secrets === 'all' ? digits.length >= SHORTEST_EXACT : secrets.includes(digits);
    return isSecret || known?.isOne(digits) === true ? REDACTED : one;
  }

  function value(root: unknown, secrets: SecretTexts): unknown {
    return replaceSecrets(root, {
      place: null,
      secret: () => REDACTED,
      text: (one) => text(one, secrets),
      number: (one) => number(one, secrets),
    });
  }

  return {
    arguments(args, argsText, schemas) {
      const place = secretPlace(schemas);
      if (place === null && !mayHoldSecret(argsText)) return { text: argsText, paths: [], secrets: [] };
      const paths: string[] = [];
      const texts = new Set<string>();
      const cleaned = replaceSecrets(args, {
        place,
        secret({ path, value: found }) {
          paths.push(path);
          collectTexts(found, texts);
          return REDACTED;
        },
        text(one, path) {
          if (!holdsSecretText(one, known)) return one;
          paths.push(path);
          for (const secret of secretTextsIn(one, known)) collectTexts(secret, texts);
          return hideSecretTexts(one, known);
        },
      });
      return paths.length === 0
        ? { text: argsText, paths, secrets: [] }
        : { text: JSON.stringify(cleaned), paths, secrets: secretTexts(texts) };
    },
    jsonText(json, secrets) {
      if (secrets.length === 0 && !mayHoldSecret(json)) return json;
      const parsed = parseExactJson(json);
      let found = false;
      const noted = <Value>(before: Value, after: unknown): unknown => {
        found ||= after !== before;
        return after;
      };
      const cleaned = replaceSecrets(parsed, {
        place: null,
        secret: () => noted(null, REDACTED),
        text: (one) => noted(one, text(one, secrets)),
        number: (one) => noted(one, number(one, secrets)),
      });
      return found ? JSON.stringify(cleaned) : json;
    },
    value,
    text,
    error(error, secrets) {
      return {
        ...error,
        message: text(error.message, secrets),
        ...(error.issues === undefined
          ? {}
          : { issues: error.issues.map((issue) => ({ ...issue, message: text(issue.message, secrets) })) }),
        ...(error.data === undefined ? {} : { data: value(error.data, secrets) }),
      };
    },
    log(log, secrets) {
      const { time, level, said } = log;
      const clean = { time, level, message: text(log.message, secrets), data: log.data == null ? null : value(log.data, secrets) };
      if (said === undefined) return clean;
      const logger = said.logger === undefined ? {} : { logger: text(said.logger, secrets) };
      const data = typeof said.data === 'string' ? text(said.data, secrets) : value(said.data, secrets);
      return { ...clean, said: { level: said.level, ...logger, data } };
    },
    progress: (progress, secrets) => (progress.message === null ? progress : { ...progress, message: text(progress.message, secrets) }),
  };
}

/** As written, and in the encodings in which known secrets are found. */
function secretTexts(texts: ReadonlySet<string>): SecretTexts {
  if (texts.size > MOST_CUT_OUT) return 'all';
  const spelled = new Set([...texts].flatMap((text) => [text, ...spellings(text)]));
  return [...spelled].toSorted((a, b) => b.length - a.length);
}

function collectTexts(value: unknown, into: Set<string>): void {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) collectTexts(item, into);
  else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value);
    if (text.length >= SHORTEST_EXACT) into.add(text);
  }
}
