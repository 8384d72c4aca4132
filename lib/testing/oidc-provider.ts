import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** An OpenID Connect provider with one signed-in person. Tests set wrong answers before a request. */
export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The signed-in person. */
  person: OidcPerson;
  /** The error in the next identity token. */
  fault: OidcFault;
  /** Parameters of each authorization request. */
  readonly asked: URLSearchParams[];
  /** For each code exchange: whether the PKCE verifier matched the challenge. */
  readonly proven: boolean[];
  close(): Promise<void>;
}

export interface OidcPerson {
  readonly sub: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

export type OidcFault = 'none' | 'audience' | 'issuer' | 'signature' | 'unsigned' | 'nonce' | 'expired' | 'denied' | 'no_token';

interface PendingCode {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string | null;
}

const KEY_ID = 'key-1';

export async function startOidcProvider(algorithm: 'RS256' | 'ES256' = 'RS256'): Promise<OidcProvider> {
  const makeKeys = () =>
    algorithm === 'RS256' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [keys, otherKeys] = [makeKeys(), makeKeys()];
  const codes = new Map<string, PendingCode>();
  let issuer = '';

  const provider = {
    clientId: 'switchboard',
    clientSecret: 'a secret of the provider and this client',
    person: { sub: 'person-1', email: 'mia@example.com', emailVerified: true, name: 'Mia Meyer' },
    fault: 'none',
    asked: [],
    proven: [],
  } satisfies Omit<OidcProvider, 'issuer' | 'close'>;
  const state: Omit<OidcProvider, 'issuer' | 'close'> = provider;

  const idToken = (nonce: string | null): string => {
    const seconds = Math.floor(Date.now() / 1_000);
    const { sub, email, emailVerified, name } = state.person;
    const claims = {
      iss: state.fault === 'issuer' ? 'https://other.example.com' : issuer,
      aud: state.fault === 'audience' ? 'another-client' : state.clientId,
      sub,
      email,
      email_verified: emailVerified,
      name,
      iat: seconds - (state.fault === 'expired' ? 7_200 : 0),
      exp: seconds + (state.fault === 'expired' ? -3_600 : 300),
      ...(nonce === null ? {} : { nonce: state.fault === 'nonce' ? 'that-of-somebody-else' : nonce }),
    };
    if (state.fault === 'unsigned') return `${part({ alg: 'none' })}.${part(claims)}.`;
    const signed = `${part({ alg: algorithm, kid: KEY_ID, typ: 'JWT' })}.${part(claims)}`;
    return `${signed}.${signature(signed, state.fault === 'signature' ? otherKeys.privateKey : keys.privateKey)}`;
  };

  const answers: Readonly<Record<string, (url: URL, request: IncomingMessage, response: ServerResponse) => Promise<void> | void>> = {
    '/.well-known/openid-configuration': (_url, _request, response) =>
      json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [algorithm],
      }),
    '/jwks': (_url, _request, response) =>
      json(response, { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: algorithm, use: 'sig' }] }),
    '/authorize': ({ searchParams }, _request, response) => {
      state.asked.push(searchParams);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      if (state.fault === 'denied') {
        back.searchParams.set('error', 'access_denied');
        back.searchParams.set('error_description', 'The person said no.');
      } else {
        const code = randomUUID();
        codes.set(code, {
          challenge: searchParams.get('code_challenge') ?? '',
          redirectUri: searchParams.get('redirect_uri') ?? '',
          nonce: searchParams.get('nonce'),
        });
        back.searchParams.set('code', code);
      }
      response.writeHead(302, { location: back.href }).end();
    },
    '/token': async (_url, request, response) => {
      const body = new URLSearchParams(await text(request));
      const promised = codes.get(body.get('code') ?? '');
      codes.delete(body.get('code') ?? '');
      const basic = `Basic ${Buffer.from(`${state.clientId}:${state.clientSecret}`).toString('base64')}`;
      const isClient = body.get('client_secret') === state.clientSecret || request.headers.authorization === basic;
      const verifier = createHash('sha256')
        .update(body.get('code_verifier') ?? '')
        .digest('base64url');
      state.proven.push(verifier === promised?.challenge);
      if (promised === undefined || !isClient || verifier !== promised.challenge || body.get('redirect_uri') !== promised.redirectUri)
        return json(response, { error: 'invalid_grant' }, 400);
      const tokens = { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300 };
      return json(response, state.fault === 'no_token' ? tokens : { ...tokens, id_token: idToken(promised.nonce) });
    },
    '/userinfo': (_url, _request, response) => {
      const { sub, email, emailVerified, name } = state.person;
      json(response, { sub, email, email_verified: emailVerified, name });
    },
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const answer = answers[url.pathname];
    if (answer === undefined) return void response.writeHead(404).end();
    Promise.resolve(answer(url, request, response)).catch(() => response.writeHead(500).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

  return Object.assign(state, {
    issuer,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signature(signed: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
