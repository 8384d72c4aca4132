import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An MCP server on loopback that requires a sign-in, with its authorization server. */
export interface SigningServer {
  readonly url: string;
  /** Origin of its authorization server. */
  readonly issued: { readonly access: string[]; readonly refresh: string[]; readonly revoked: string[] };
  /** Forms received by the token endpoint. */
  readonly exchanges: Readonly<Record<string, string>>[];
  readonly rules: Rules;
  /** Acts as a browser at an authorization URL; resolves to the callback URL. */
  signIn(address: string, person: string): Promise<URL>;
  close(): Promise<void>;
}

export interface Rules {
  /** Seconds that an access token is valid. */
  lifetime: number;
  /** Refuses all refresh tokens. */
  refusesRefresh: boolean;
  /** Refuses all access tokens, as with a wrong audience. */
  refusesTokens: boolean;
  /** Its token endpoint never responds. */
  isSlow: boolean;
  /** Accepts client metadata documents. */
  takesDocuments: boolean;
  /** Requires a token only for calls; `erase` without one is refused with `insufficient_scope`. */
  isOpen: boolean;
}

interface Known {
  readonly person: string;
  readonly scope: string;
  readonly until: number;
}

export async function serveSigning(): Promise<SigningServer> {
  const rules: Rules = {
    lifetime: 3_600,
    refusesRefresh: false,
    refusesTokens: false,
    isSlow: false,
    takesDocuments: false,
    isOpen: false,
  };
  const issued = { access: [] as string[], refresh: [] as string[], revoked: [] as string[] };
  const exchanges: Record<string, string>[] = [];
  const access = new Map<string, Known>();
  const refresh = new Map<string, Omit<Known, 'until'>>();
  const codes = new Map<string, Omit<Known, 'until'> & { readonly challenge: string }>();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', origin);
    const body = await textOf(request);
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['read'] });
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          revocation_endpoint: `${origin}/revoke`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
          authorization_response_iss_parameter_supported: true,
          ...(rules.takesDocuments ? { client_id_metadata_document_supported: true } : {}),
        });
      case '/register':
        return json(response, 201, { ...JSON.parse(body), client_id: 'switchboard', client_secret: 'the-secret-of-this-client-alone' });
      case '/authorize': {
        if (!url.searchParams.has('person')) return void response.writeHead(200, { 'content-type': 'text/html' }).end(signInPage(url));
        const code = randomBytes(8).toString('hex');
        const { searchParams: asked } = url;
        codes.set(code, {
          person: asked.get('person') ?? '',
          scope: asked.get('scope') ?? '',
          challenge: asked.get('code_challenge') ?? '',
        });
        const to = new URL(asked.get('redirect_uri') ?? '');
        to.search = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: origin }).toString();
        return void response.writeHead(302, { location: to.href }).end();
      }
      case '/token':
        if (rules.isSlow) return;
        return exchange(Object.fromEntries(new URLSearchParams(body)), response);
      case '/revoke':
        issued.revoked.push(new URLSearchParams(body).get('token') ?? '');
        return json(response, 200, {});
      case '/mcp':
        return mcp(request, body, response);
      default:
        return json(response, 404, {});
    }
  };

  const exchange = (form: Record<string, string>, response: ServerResponse): void => {
    exchanges.push(form);
    const isCode = form['grant_type'] === 'authorization_code';
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url');
    const code = codes.get(form['code'] ?? '');
    const known = isCode ? (code?.challenge === challenge ? code : undefined) : refresh.get(form['refresh_token'] ?? '');
    codes.delete(form['code'] ?? '');
    refresh.delete(form['refresh_token'] ?? '');
    const isKnownClient = form['client_secret'] !== undefined || form['client_id']?.startsWith('https://') === true;
    if (known === undefined || !isKnownClient || (!isCode && rules.refusesRefresh))
      return json(response, 400, { error: 'invalid_grant', error_description: 'It is no longer valid' });
    const { person, scope } = known;
    const made = { access: `access-${randomBytes(12).toString('hex')}`, refresh: `refresh-${randomBytes(12).toString('hex')}` };
    issued.access.push(made.access);
    issued.refresh.push(made.refresh);
    access.set(made.access, { person, scope, until: Date.now() + rules.lifetime * 1_000 });
    refresh.set(made.refresh, { person, scope });
    json(response, 200, {
      access_token: made.access,
      refresh_token: made.refresh,
      token_type: 'Bearer',
      expires_in: rules.lifetime,
      scope,
    });
  };

  const mcp = (request: IncomingMessage, body: string, response: ServerResponse): void => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const known = access.get(token);
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const isAnonymous = rules.isOpen && token === '' && (!body.includes('"tools/call"') || body.includes('"erase"'));
    const isRefused = known === undefined || known.until < Date.now() || rules.refusesTokens || issued.revoked.includes(token);
    if (isRefused && !isAnonymous)
      return json(response, 401, { error: 'invalid_token' }, { 'www-authenticate': `Bearer ${metadata}, scope="read"` });
    if (request.method !== 'POST') return json(response, 405, {});
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (result: unknown): void => json(response, 200, { jsonrpc: '2.0', id, result });
    const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });
    switch (method) {
      case 'initialize':
        return answer({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'signing', version: '1' },
        });
      case 'tools/list':
        return answer({ tools: [tool('whoami'), tool('erase')] });
      case 'tools/call':
        if (params.name === 'erase' && known?.scope.split(' ').includes('erase') !== true)
          return json(response, 403, {}, { 'www-authenticate': `Bearer error="insufficient_scope", scope="erase", ${metadata}` });
        return answer({ content: [{ type: 'text', text: known?.person ?? '' }] });
      default:
        return json(response, 200, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
    }
  };

  return {
    url: `${origin}/mcp`,
    issued,
    exchanges,
    rules,
    async signIn(address, person) {
      const asked = new URL(address);
      asked.searchParams.set('person', person);
      const answer = await fetch(asked, { redirect: 'manual' });
      return new URL(answer.headers.get('location') ?? '');
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Pages for a person with a browser. */
function signInPage({ searchParams }: URL): string {
  const quoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const fields = [...searchParams].map(([name, value]) => `<input type="hidden" name="${quoted(name)}" value="${quoted(value)}">`);
  return `<!doctype html><html lang="en"><title>Files</title><h1>Sign in to Files</h1><form>${fields.join('')}
<label>Name <input name="person" required></label> <button>Sign in</button></form>
<a href="${quoted(deniedAt(searchParams))}">Deny</a></html>`;
}

function deniedAt(asked: URLSearchParams): string {
  const to = new URL(asked.get('redirect_uri') ?? '');
  to.search = new URLSearchParams({
    error: 'access_denied',
    error_description: 'You denied it',
    state: asked.get('state') ?? '',
  }).toString();
  return to.href;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}
