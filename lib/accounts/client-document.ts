import { lookup } from 'node:dns/promises';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { clientDocumentSchema, type ClientMetadata } from '#lib/contract/oauth.ts';
import { isPublicAddress } from '#lib/network/public-address.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/**
 * Client id metadata documents: the client's id is the https address of its metadata. What can go wrong:
 * - the address points into the private network, also by DNS rebinding or a redirect: its name is resolved once, each address
 *   must be public, the connection uses these addresses, and redirects are not followed;
 * - the response never starts or never ends: time and size are limited;
 * - the document belongs to another client: its `client_id` must equal its address.
 */
export type DocumentOutcome =
  | { readonly ok: true; readonly metadata: ClientMetadata; readonly host: string }
  | { readonly ok: false; readonly why: string };

export interface DocumentOptions {
  /** All addresses of a host. */
  resolve?(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>;
  isPublic?(address: string): boolean;
  /** A further certificate authority. */
  readonly ca?: string;
  readonly timeoutMs?: number;
}

export function isDocumentId(id: string): boolean {
  return id.startsWith('https://');
}

export async function readClientDocument(id: string, options: DocumentOptions = {}): Promise<DocumentOutcome> {
  const { resolve = (host) => lookup(host, { all: true }), isPublic = isPublicAddress, timeoutMs = LIMITS.oauthDocumentMs } = options;
  const url = URL.canParse(id) ? new URL(id) : null;
  const fault = url === null ? 'it is no address' : faultOf(url, id);
  if (url === null || fault !== null) return refused(`Its client_id cannot be read: ${fault}.`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const addresses = isIP(host) > 0 ? [{ address: host, family: isIP(host) }] : await within(resolve(host), signal);
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublic(address)))
      return refused(`Its client_id is at ${host}, which is not a public address.`);
    const found = await download(url, addresses, signal, options.ca);
    if (!found.ok) return refused(`Its metadata could not be read: ${found.why}.`);
    const parsed = clientDocumentSchema.safeParse(JSON.parse(found.text));
    if (!parsed.success) return refused('Its metadata are no client metadata: redirect_uris are missing or not valid.');
    const { client_id: named, token_endpoint_auth_method: method = 'none' } = parsed.data;
    if (named !== id) return refused('Its metadata name another client_id.');
    if (method !== 'none') return refused(`It authenticates by ${method.slice(0, 40)}; only public clients (none) are served.`);
    return { ok: true, metadata: parsed.data, host: url.host };
  } catch (error) {
    if (signal.aborted) return refused(`Its metadata did not arrive within ${timeoutMs / 1_000} s.`);
    return refused(error instanceof SyntaxError ? 'Its metadata are not JSON.' : `Its metadata could not be read from ${host}.`);
  }
}

function faultOf(url: URL, id: string): string | null {
  if (url.protocol !== 'https:') return 'it is not an https address';
  if (url.pathname === '/' || url.pathname === '') return 'it has no path';
  if (url.hash !== '' || id.includes('#')) return 'it has a fragment';
  if (url.username !== '' || url.password !== '') return 'it has a user name or password';
  return url.href === id ? null : 'it is not in its normal form';
}

type Download = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

function download(
  url: URL,
  addresses: readonly { readonly address: string; readonly family: number }[],
  signal: AbortSignal,
  ca: string | undefined,
): Promise<Download> {
  const [first] = addresses;
  const pinned: LookupFunction = (_host, options, answer) => {
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family);
  };
  return new Promise((settle, reject) => {
    const asked = request(
      url,
      { method: 'GET', headers: { accept: 'application/json' }, lookup: pinned, signal, agent: false, ...(ca === undefined ? {} : { ca }) },
      (answer) => {
        const { statusCode = 0, headers } = answer;
        const stop = (why: string): void => {
          asked.destroy();
          settle({ ok: false, why });
        };
        answer.on('error', reject);
        if (statusCode !== 200) return stop(statusCode >= 300 && statusCode < 400 ? 'it redirects' : `its server answered ${statusCode}`);
        if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return stop('it is not JSON');
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > LIMITS.oauthDocumentBytes) stop(`it is larger than ${LIMITS.oauthDocumentBytes / 1_024} KiB`);
        });
        answer.on('end', () => settle({ ok: true, text: Buffer.concat(chunks).toString('utf8') }));
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

function within<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new Error('too late')), { once: true });
  return Promise.race([promise, late]);
}

function refused(why: string): DocumentOutcome {
  return { ok: false, why };
}
