import { createHash, randomBytes } from 'node:crypto';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** A provider for the official client that stores everything in memory, with the URL that a browser would open. */
export interface MemoryProvider extends OAuthClientProvider {
  readonly opened: URL[];
  current(): StoredOAuthTokens | undefined;
  set(tokens: StoredOAuthTokens): void;
}

export function memoryProvider(redirectUrl = 'http://127.0.0.1:40404/callback', scope?: string): MemoryProvider {
  let client: StoredOAuthClientInformation | undefined;
  let tokens: StoredOAuthTokens | undefined;
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  const opened: URL[] = [];
  return {
    opened,
    redirectUrl,
    clientMetadata: { client_name: 'Official client', redirect_uris: [redirectUrl], ...(scope === undefined ? {} : { scope }) },
    state: () => randomBytes(8).toString('hex'),
    clientInformation: () => client,
    saveClientInformation: (information) => void (client = information),
    tokens: () => tokens,
    saveTokens: (made) => void (tokens = made),
    redirectToAuthorization: (url) => void opened.push(url),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovery = state),
    discoveryState: () => discovery,
    current: () => tokens,
    set: (given) => void (tokens = given),
  };
}

/** PKCE for a manual request. */
export function pkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
