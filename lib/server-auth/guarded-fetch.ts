import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { isPublicAddress } from '#lib/network/public-address.ts';

/**
 * Requests to the authorization server of an MCP server, whose addresses the server chooses. What can go wrong: a server on the
 * internet directs Switchboard to addresses in its own network (then only public ones are allowed), the answer never ends, it
 * redirects elsewhere (refused), or it is not encrypted (allowed only if the server is not encrypted either).
 */
const ANSWER_BYTES = 262_144;

export async function guardedFetch(serverUrl: string, timeoutMs: number): Promise<FetchLike> {
  const server = new URL(serverUrl);
  // An unknown name may be public.
  const isPublicServer = await isPublicHost(server.hostname, true);
  return async (input, init) => {
    const url = new URL(input);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && server.protocol === 'http:'))
      throw new Error(`${url.origin} is not encrypted; an authorization server must use https`);
    if (isPublicServer && !(await isPublicHost(url.hostname, false))) throw new Error(`${url.host} is not a public address`);
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { ...init, redirect: 'error', signal }).catch((error: unknown) => {
      throw signal.aborted ? new Error(`${url.host} did not answer within ${timeoutMs / 1_000} s`) : error;
    });
    return new Response(await textOf(answer, url.host), { status: answer.status, headers: answer.headers });
  };
}

/** @param isUnknown for a name without an address */
export async function isPublicHost(hostname: string, isUnknown: boolean): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) > 0) return isPublicAddress(host);
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
  } catch {
    return isUnknown;
  }
}

async function textOf(answer: Response, host: string): Promise<string | null> {
  if (answer.status === 204 || answer.body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: ReadableStream<Uint8Array> = answer.body;
  for await (const chunk of body.values()) {
    size += chunk.length;
    if (size > ANSWER_BYTES) throw new Error(`${host} sent more than ${ANSWER_BYTES / 1_024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
