import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { type Refusal, RPC, type RpcFailure } from './protocol.ts';

/** A parameter with `x-mcp-header`: clients of the stateless protocol repeat its value in `Mcp-Param-<name>`. */
export interface HeaderParameter {
  /** Property names, from the root of the arguments. */
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumber: boolean;
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Only below `properties`, where the path of a value is certain. */
export function readHeaderParameters(schema: JsonSchema): readonly HeaderParameter[] {
  const found: HeaderParameter[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    if (!isObject(node)) return;
    const name = node['x-mcp-header'];
    const type = node['type'];
    if (path.length > 0 && typeof name === 'string' && TOKEN.test(name))
      found.push({ path, header: `mcp-param-${name.toLowerCase()}`, isNumber: type === 'integer' || type === 'number' });
    const properties = node['properties'];
    if (isObject(properties)) for (const [key, inner] of Object.entries(properties)) visit(inner, [...path, key]);
  };
  visit(schema, []);
  return found;
}

/** Null if headers and arguments match. An absent or null value needs no header. */
export function checkHeaderParameters(
  parameters: readonly HeaderParameter[],
  args: Readonly<Record<string, unknown>>,
  headers: Pick<McpHeaders, 'header'>,
): RpcFailure | null {
  for (const { path, header, isNumber } of parameters) {
    const value = path.reduce<unknown>((node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined), args);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const given = headers.header(header);
    if (given === undefined) return mismatch(header, null, String(value));
    const decoded = decodeHeaderValue(given);
    const isSame =
      isNumber && typeof value === 'number' && decoded !== null && DECIMAL.test(decoded)
        ? Number(decoded) === value
        : decoded === String(value);
    if (!isSame) return mismatch(header, given, String(value));
  }
  return null;
}

/**
 * The stateless protocol repeats in headers the values that a proxy may route by. They must match the body: otherwise a proxy's
 * check of the headers could be bypassed.
 */
export function mismatch(header: string, given: string | null, expected: string): Refusal {
  const value = given === null ? 'is missing' : `says "${given.slice(0, 100)}"`;
  return {
    status: 400,
    code: RPC.headerMismatch,
    message: `The header ${header} ${value}, the body says "${expected.slice(0, 100)}". They must match.`,
    data: { mismatch: { header, given, expected } },
  };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Header encoding of a value: printable ASCII as is, else `=?base64?…?=`. Null for invalid base64. */
export function decodeHeaderValue(given: string): string | null {
  const value = given.replace(/^[\t ]+/, '').replace(/[\t ]+$/, '');
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  if (!BASE64.test(encoded)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
