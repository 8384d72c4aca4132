import path from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { createOAuthTokens } from '#lib/accounts/oauth-tokens.ts';
import { hashToken, makeTokenText } from '#lib/accounts/token-text.ts';
import { oauthRepository } from '#lib/testing/oauth-repository.ts';
import { createExtensionFolder, toolsText } from './extension-folder.ts';
import type { ExtensionFolder } from './extension-folder.ts';
import { median, ms, quantile, times } from './figures.ts';
import { HANDSHAKE_HEADERS, openSession } from './mcp-messages.ts';
import type { Section } from './report.ts';
import { runLoad } from './run-load.ts';
import type { Load } from './run-load.ts';
import { answersOk, askUntil, drained, ROOT, startProduct, startServer } from './servers.ts';
import type { BenchServer } from './servers.ts';

/** Toolsets, verification of OAuth tokens, and calls forwarded to an MCP server. */
const SIZES = [10, 1_000] as const;
const EVERYTHING = path.join(ROOT, 'node_modules', '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
const TARGETS = { listMs: 50, verifyUs: 30, passed: 1.3, perSize: 1.2 };
const VERIFIED = 100_000;

export async function measureAgents(isQuick: boolean): Promise<Section> {
  const [rounds, seconds, warmUp] = isQuick ? [1, 1, 1] : [5, 1.5, 4];
  const folder = await createExtensionFolder(0);
  const servers: BenchServer[] = [];
  try {
    const direct = await startServer([EVERYTHING, 'streamableHttp']);
    servers.push(direct);
    await openSession(direct, `${direct.url}/mcp`);
    await folder.save('bench', toolsText(Math.max(...SIZES)));
    await saveServer(folder, `${direct.url}/mcp`);
    const product = await startProduct(folder.path);
    servers.push(product);
    await answersOk(product, '/readyz');
    const passing = await startServer([path.join(ROOT, 'bench', 'bare-mcp.mjs')], { SERVER: 'passing', BEHIND: `${direct.url}/mcp` });
    servers.push(passing);
    for (const size of SIZES) await putToolset(product, size);

    const requests = new Map<string, Request>();
    for (const size of SIZES) {
      requests.set(`list ${size}`, await requestOf(product, `/mcp/size_${size}`, 'tools/list', {}, `"add_${size - 1}"`));
      requests.set(
        `call ${size}`,
        await requestOf(product, `/mcp/size_${size}`, 'tools/call', { name: 'add_0', arguments: SUM }, '"sum":42'),
      );
    }
    const echo = { message: 'hello' };
    requests.set('passed', await requestOf(product, '/mcp', 'tools/call', { name: 'every__echo', arguments: echo }, 'Echo: hello'));
    requests.set('official', await requestOf(passing, '/mcp', 'tools/call', { name: 'echo', arguments: echo }, 'Echo: hello'));
    requests.set('direct', await requestOf(direct, '/mcp', 'tools/call', { name: 'echo', arguments: echo }, 'Echo: hello'));
    for (const request of requests.values()) await runLoad(request, 1, warmUp);
    const latencies = new Map<string, number[]>();
    let wrong = 0;
    for (let round = 0; round < rounds; round += 1)
      for (const [name, request] of requests) {
        const load: Load = await runLoad(request, 1, seconds);
        wrong += load.wrong;
        latencies.set(name, [...(latencies.get(name) ?? []), ...load.latencies]);
      }
    return section(latencies, await verifyMicroseconds(), wrong, `${rounds} rounds of ${seconds} s`);
  } finally {
    for (const server of servers) await server.end();
    await folder.remove();
  }
}

const SUM = { left: 40, right: 2 };

type Request = Parameters<typeof runLoad>[0];

async function requestOf(server: BenchServer, target: string, method: string, params: object, expected: string): Promise<Request> {
  const url = server.url + target;
  const headers = { ...HANDSHAKE_HEADERS, ...(await openSession(server, url)) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  // The server of the other end may still be connecting.
  await askUntil(
    server,
    () => fetch(url, { method: 'POST', headers, body }),
    async (answer) => (await answer.text()).includes(expected.slice(1, -1)),
  );
  return { url, headers, body, expected: expected.replace(/^"|"$/g, '') };
}

async function putToolset(server: BenchServer, size: number): Promise<void> {
  const tools = Array.from({ length: size }, (_, at) => ({
    tool: `add_${at}`,
    title: `Sum ${at}`,
    description: 'A sum for this purpose.',
  }));
  const put = (): Promise<Response> =>
    fetch(`${server.url}/api/v1/toolsets/size_${size}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tools }),
    });
  await askUntil(server, put, drained);
}

async function saveServer(folder: ExtensionFolder, url: string): Promise<void> {
  const place = path.join(folder.path, 'extensions', 'every');
  await mkdir(place, { recursive: true });
  await writeFile(path.join(place, 'mcp.json'), JSON.stringify({ url }));
}

/** A cached token, as in each call except the first. */
async function verifyMicroseconds(): Promise<number> {
  const text = makeTokenText(undefined, 'swo');
  const at = Date.now();
  const grant = {
    id: 'grant',
    memberId: 'ada',
    clientId: 'client',
    clientName: 'Client',
    clientHost: null,
    role: 'operator' as const,
    scopes: ['tools.call' as const],
    tools: null,
    resource: 'https://switchboard.example.org/mcp',
    createdAt: at,
    expiresAt: at + 3_600_000,
    lastUsedAt: at,
    revokedAt: null,
  };
  const token = {
    hash: hashToken(text),
    grantId: 'grant',
    kind: 'access' as const,
    expiresAt: at + 3_600_000,
    usedAt: null,
    redirectUri: null,
    challenge: null,
  };
  const tokens = createOAuthTokens({
    repository: oauthRepository({ find: () => Promise.resolve({ token, grant }) }),
    audit: { record: () => undefined },
    ownerOf: () => Promise.resolve({ name: 'Ada', role: 'operator', active: true }),
    ended: () => undefined,
    onError: () => undefined,
  });
  for (let count = 0; count < VERIFIED / 10; count += 1) await tokens.find(text);
  const began = performance.now();
  for (let count = 0; count < VERIFIED; count += 1)
    if ((await tokens.find(text)).kind !== 'works') throw new Error('The token does not work');
  return ((performance.now() - began) / VERIFIED) * 1_000;
}

function section(latencies: ReadonlyMap<string, readonly number[]>, verifyUs: number, wrong: number, course: string): Section {
  const p50 = (name: string): number => median(latencies.get(name) ?? []);
  const [few, many] = SIZES;
  const ratio = p50('passed') / p50('direct');
  const growth = p50(`call ${many}`) / p50(`call ${few}`);
  const rowOf = (title: string, name: string): string[] => [title, ms(p50(name)), ms(quantile(latencies.get(name) ?? [], 0.95))];
  return {
    title: 'Agents',
    method: `One connection with a session of \`2025-11-25\`, ${course}, alternating; every answer is checked (${wrong} were wrong). Toolsets with ${few} and ${many.toLocaleString('en-US')} renamed tools. The official \`server-everything\` runs once, over Streamable HTTP; its tool \`echo\` is called there, through an official server with an official client in one process, which records nothing, and through Switchboard, which records each call twice. The verification of an OAuth access token is measured in one process, ${VERIFIED.toLocaleString('en-US')} times.`,
    tables: [
      {
        head: ['', 'p50', 'p95'],
        rows: [
          ...SIZES.flatMap((size) => [
            rowOf(`\`tools/list\` of a toolset with ${size.toLocaleString('en-US')} tools`, `list ${size}`),
            rowOf(`\`tools/call\` there`, `call ${size}`),
          ]),
          rowOf('`echo` of `server-everything`, direct', 'direct'),
          rowOf('`echo` through an official server and client in one process', 'official'),
          rowOf('`echo` through Switchboard', 'passed'),
        ],
      },
    ],
    targets: [
      {
        target: `a list of ${many.toLocaleString('en-US')} tools: p50 ≤ ${TARGETS.listMs} ms`,
        found: ms(p50(`list ${many}`)),
        isMet: p50(`list ${many}`) <= TARGETS.listMs,
      },
      {
        target: `a call among ${many.toLocaleString('en-US')} tools: ≤ ${TARGETS.perSize} × that among ${few}`,
        found: times(growth),
        isMet: growth <= TARGETS.perSize,
      },
      {
        target: `a call that is passed on: ≤ ${TARGETS.passed} × direct`,
        found: `${times(ratio)}; the official packages alone take ${times(p50('official') / p50('direct'))}`,
        isMet: ratio <= TARGETS.passed,
      },
      {
        target: `verification of an access token: ≤ ${TARGETS.verifyUs} µs`,
        found: `${verifyUs.toFixed(1)} µs`,
        isMet: verifyUs <= TARGETS.verifyUs,
      },
    ],
  };
}
