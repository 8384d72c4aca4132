import { isSecretName } from '#lib/contract/secret-names.ts';

/**
 * Replaces secrets before the first copy is made: what is stored, shown, sent as an event or exported never held them.
 * A value is a secret by the name of its key (password, token, authorization, api_key and their kin) or because the schema
 * says `writeOnly: true` or `format: "password"`. The secret's own text is then also cut out of results, errors and logs.
 */
export const REDACTED = '[redacted]';

export interface Redaction {
  /** JSON text without secrets. */
  readonly text: string;
  /** JSON Pointers of what was replaced. */
  readonly paths: readonly string[];
  /** The secret texts themselves; kept in memory while the call runs, never written. */
  readonly secrets: readonly string[];
}

const MAYBE_SECRET = /passw|passphrase|token|secret|api.?key|authorization|private.?key|credentials|cookie/i;
const SHORTEST_CUT_OUT = 6;

export function redactArguments(args: unknown, argsText: string, schema: unknown): Redaction {
  const hidden = hasSecretSchema(schema);
  if (!hidden && !MAYBE_SECRET.test(argsText)) return { text: argsText, paths: [], secrets: [] };
  const paths: string[] = [];
  const secrets: string[] = [];
  const cleaned = walk(args, '', hidden ? schema : null, (path, value) => {
    paths.push(path);
    collectTexts(value, secrets);
  });
  return paths.length === 0 ? { text: argsText, paths, secrets } : { text: JSON.stringify(cleaned), paths, secrets };
}

/** The same without what is at these JSON Pointers: members of objects, as `redactArguments` tells them. */
export function leaveOut(value: Readonly<Record<string, unknown>>, paths: readonly string[], at = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const here = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return paths.includes(here) ? [] : [[key, leaveOutOf(item, paths, here)]];
    }),
  );
}

function leaveOutOf(value: unknown, paths: readonly string[], at: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => leaveOutOf(item, paths, `${at}/${index}`));
  return isObject(value) ? leaveOut(value, paths, at) : value;
}

/** For results, errors and logs as JSON text: secret keys and the texts of this call's secret arguments. */
export function redactJsonText(text: string, secrets: readonly string[]): string {
  let cleaned = text;
  if (MAYBE_SECRET.test(text)) {
    let found = false;
    const value = walk(JSON.parse(text), '', null, () => {
      found = true;
    });
    if (found) cleaned = JSON.stringify(value);
  }
  for (const secret of secrets) {
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (escaped !== '' && cleaned.includes(escaped)) cleaned = cleaned.replaceAll(escaped, REDACTED);
  }
  return cleaned;
}

export function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, REDACTED), text);
}

function walk(value: unknown, path: string, schema: unknown, found: (path: string, value: unknown) => void): unknown {
  if (Array.isArray(value)) return value.map((item, index) => walk(item, `${path}/${index}`, itemSchema(schema, index), found));
  if (!isObject(value)) return value;
  const cleaned: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const here = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const inner = propertySchema(schema, key);
    if (item !== null && typeof item !== 'boolean' && (isSecretName(key) || isSecretSchema(inner))) {
      found(here, item);
      cleaned[key] = REDACTED;
    } else cleaned[key] = walk(item, here, inner, found);
  }
  return cleaned;
}

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === 'string') {
    if (value.length >= SHORTEST_CUT_OUT) into.push(value);
  } else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) collectTexts(item, into);
}

function isSecretSchema(schema: unknown): boolean {
  return isObject(schema) && (schema['writeOnly'] === true || schema['format'] === 'password');
}

const secretSchemas = new WeakMap<object, boolean>();

function hasSecretSchema(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  let known = secretSchemas.get(schema);
  if (known === undefined) {
    known = isSecretSchema(schema) || Object.values(schema).some((inner) => hasSecretSchema(inner));
    secretSchemas.set(schema, known);
  }
  return known;
}

function propertySchema(schema: unknown, key: string): unknown {
  if (!isObject(schema)) return null;
  const properties = schema['properties'];
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  return schema['additionalProperties'] ?? null;
}

function itemSchema(schema: unknown, index: number): unknown {
  if (!isObject(schema)) return null;
  const prefix = schema['prefixItems'];
  return (Array.isArray(prefix) ? prefix[index] : undefined) ?? schema['items'] ?? null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
