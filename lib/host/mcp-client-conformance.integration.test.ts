import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ASK_KINDS, type AskReply, type ClientAsk } from '#lib/contract/client-asks.ts';
import { passingScenarios, type ScenarioVersion, VERSIONS } from '#lib/testing/conformance.ts';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

/** The official suite against Switchboard as a client: each scenario is a server in `mcp.json`. */
const SUITE = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const COMMAND = path.resolve(import.meta.dirname, '../testing/fixtures/conformance-client.mjs');
const CALLBACK = 'http://localhost:3000/api/v1/servers/sign-in/callback';
const ADA = { id: 'ada', name: 'Ada' };
const PATIENCE = { timeout: 20_000, interval: 50 };
const toolCallSchema = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });
type ToolCall = z.infer<typeof toolCallSchema>;
const scenarioSchema = z.object({
  scenario: z.string(),
  address: z.string(),
  context: z.looseObject({ toolCalls: z.array(toolCallSchema).optional() }),
});
type Scenario = z.infer<typeof scenarioSchema>;
const checksSchema = z.array(
  z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional(), description: z.string().optional() }),
);
type Results = ReadonlyMap<string, z.infer<typeof checksSchema>>;

/** The suite starts all its servers at once; this many scenarios run at a time. */
const AT_ONCE = 2;
const LONG = 300_000;
/** The end of the name of a folder with results. */
const TIME = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;
const PASSING = passingScenarios('client');
const runs = new Map<ScenarioVersion, Promise<Results>>();

it.each(VERSIONS.flatMap((version) => PASSING[version].map((name) => [version, name] as const)))(
  'passes the scenario of a client for %s: %s',
  { timeout: LONG },
  async (version, scenario) => {
    const run = runs.get(version) ?? runSuite(version);
    runs.set(version, run);
    const checks = (await run).get(scenario) ?? [];
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    expect(bad).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS')).not.toEqual([]);
  },
);

/** All scenarios of a version in one process, because its start takes longer than a scenario. */
async function runSuite(version: ScenarioVersion): Promise<Results> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conformance-'));
  const lines = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  let turn = 0;
  const inTurn = (scenario: Scenario): Promise<unknown> => {
    const at = (turn += 1) % AT_ONCE;
    const played = Promise.resolve(lines[at]).then(() => play(scenario));
    lines[at] = played.catch(() => {});
    return played;
  };
  const driver = createServer((request, response) => {
    const played = json(request).then(async (answer) => {
      const scenario = scenarioSchema.parse(answer);
      if (PASSING[version].includes(scenario.scenario)) await inTurn(scenario);
    });
    void played.catch(() => (response.statusCode = 500)).finally(() => response.end());
  });
  driver.listen(0, '127.0.0.1');
  await once(driver, 'listening');
  try {
    const command = ['--command', `${process.execPath} ${COMMAND}`, '--timeout', String(LONG)];
    const args = [SUITE, 'client', '--suite', 'all', '--spec-version', version, '--output-dir', folder, ...command];
    const env = { ...process.env, CONFORMANCE_DRIVER: `http://127.0.0.1:${(driver.address() as AddressInfo).port}` };
    await new Promise<void>((resolve) => execFile(process.execPath, args, { env, maxBuffer: 64 * 1_048_576 }, () => resolve()));
    const files = (await readdir(folder, { recursive: true })).filter((name) => path.basename(name) === 'checks.json');
    const read = async (name: string) => checksSchema.parse(JSON.parse(await readFile(path.join(folder, name), 'utf8')));
    return new Map(await Promise.all(files.map(async (name) => [path.dirname(name).replace(TIME, ''), await read(name)] as const)));
  } finally {
    driver.closeAllConnections();
    driver.close();
    await rm(folder, { recursive: true });
  }
}

/** The actions of a person and their agents with a server: add it, sign in if required, call each tool, and sign in again for more permissions. */
async function play({ address, context }: Scenario): Promise<void> {
  const living = await startHost({ 'server/mcp.json': JSON.stringify({ url: address }) });
  try {
    await settled(living);
    for (let tries = 0; tries < 3; tries += 1) {
      const look = must(await living.host.signIns.look('server', ADA));
      if (look.state === 'needed' || look.missing_scope !== null) if (!(await signIn(living))) return;
      await callAll(living, context.toolCalls);
      const after = must(await living.host.signIns.look('server', ADA));
      if (after.state !== 'needed' && after.missing_scope === null) return;
    }
  } finally {
    await living.remove();
  }
}

/** A server that was slow is retried. */
async function settled(living: LivingHost): Promise<void> {
  await vi.waitFor(() => {
    const extension = living.extension('server');
    expect(extension?.failure?.code ?? extension?.state).toMatch(/^(?:ready|server_sign_in_needed)$/);
  }, PATIENCE);
}

async function signIn(living: LivingHost): Promise<boolean> {
  const begun = await living.host.signIns.begin('server', ADA, CALLBACK);
  if (!begun.ok) return false;
  const answer = await fetch(begun.value.authorization_url, { redirect: 'manual' });
  const callback = new URL(answer.headers.get('location') ?? 'http://nowhere.invalid');
  const finished = await living.host.signIns.finish(callback.searchParams, ADA);
  if (!finished.ok) return false;
  await settled(living);
  return true;
}

async function callAll({ host }: LivingHost, wanted: readonly ToolCall[] = []): Promise<void> {
  const all = host.tools.list().tools.map(({ name, parameters }) => {
    const { properties } = fieldsSchema.parse(parameters);
    return {
      name,
      arguments: Object.fromEntries(Object.entries(properties).map(([field, { type }]) => [field, VALUES[type ?? ''] ?? 'text'])),
    };
  });
  const calls = wanted.length === 0 ? all : wanted.map((call) => ({ ...call, name: `server__${call.name}` }));
  for (const { name, arguments: args } of calls) {
    const watcher = { onLog: () => undefined, onProgress: () => undefined, answerer: { kinds: ASK_KINDS, answer } };
    const started = await host.calls.start({ tool: name, arguments: args, source: 'api', actor: { name: null }, watcher });
    if (started.ok) await started.value.finished;
  }
}

async function answer({ method }: ClientAsk): Promise<AskReply> {
  if (method === 'roots/list') return { ok: true, result: { roots: [] } };
  if (method === 'elicitation/create') return { ok: true, result: { action: 'accept', content: { confirmed: true, name: 'Ada' } } };
  return { ok: true, result: { role: 'assistant', model: 'none', content: { type: 'text', text: 'An answer' } } };
}

const fieldsSchema = z.looseObject({ properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).default({}) });

const VALUES: Readonly<Record<string, unknown>> = { number: 5, integer: 3, boolean: true, object: {}, array: [] };
