import { statSync } from 'node:fs';
import path from 'node:path';
import { Client, SdkError, SdkHttpError, SSEClientTransport, SseError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { findParentDeathPrefix } from '../parent-death.ts';
import { findCommand, isThere } from './find-command.ts';
import { createServerProcess } from './server-process.ts';
import { explainServerError, withoutSecrets } from './server-errors.ts';
import { fetchLeniently, readLeniently, saidBy } from './lenient-transport.ts';
import { readPages, withoutInvalidHeaders } from './read-server-tools.ts';
import type { FailureReport } from '../messages.ts';
import type { ServerConnectionSettings } from '../server-program.ts';
import type { OfferedTools } from './read-server-tools.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * A connection to one MCP server, of either protocol generation: `server/discover` is asked first, and where that is not
 * known the older `initialize`.
 *
 * What can go wrong: the command is not there; the server ends at once, never answers, or ends because it was asked what
 * it does not know (then it is started once more and asked the older way); the address refuses, or knows HTTP+SSE alone, which
 * came before Streamable HTTP (it is tried where the answer may mean that, and a stream that breaks ends the connection: what
 * comes after it is another session). Each is a failure in words. A server that never answers is ended by the host, which watches
 * the time of the whole load.
 */
export interface ServerConnection {
  readonly client: Client;
  readonly by: 'standard streams' | 'Streamable HTTP' | 'HTTP+SSE';
  listTools(): Promise<OfferedTools>;
}

export type ConnectOutcome =
  | { readonly ok: true; readonly connection: ServerConnection }
  | { readonly ok: false; readonly failure: FailureReport };

export interface ConnectOptions {
  readonly settings: ServerConnectionSettings;
  readonly subject: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly maxLineBytes: number;
  onStrayLine(line: string): void;
  /** Why it is started once more before it has answered. */
  onSecondStart(why: string): void;
  /** How the connection ended, after it had been made. */
  onEnd(how: string, exitCode?: number | null): void;
  onToolsChanged(): void;
  /** Before anything is asked, so that no message is missed. */
  onClient(client: Client): void;
}

/** Of what speaks to servers here; they may show it in their logs. */
const CLIENT_VERSION = '1';
const PROBE_MS = 2_000;
/** A server of the first days says at once where to post. */
const STREAM_MS = 5_000;
/** By what such servers answer a post to the address of their stream. */
const MAY_BE_SSE: ReadonlySet<number | undefined> = new Set([400, 404, 405]);
const LIST_CHANGED_MS = 20;

export async function connectToServer(options: ConnectOptions): Promise<ConnectOutcome> {
  return options.settings.type === 'http' ? connectByHttp(options, options.settings) : connectToProcess(options, options.settings);
}

async function connectByHttp(
  options: ConnectOptions,
  settings: Extract<ServerConnectionSettings, { type: 'http' }>,
): Promise<ConnectOutcome> {
  if (!URL.canParse(settings.url) || !/^https?:$/.test(new URL(settings.url).protocol))
    return invalidField(options, 'url', `\`url\` is no address that begins with http:// or https://: ${withoutSecrets(settings.url)}`);
  if (settings.isSse) return connectByStream(options, settings, null);
  const client = createClient(options, 'auto');
  const transport = readLeniently(
    new StreamableHTTPClientTransport(new URL(settings.url), { requestInit: { headers: settings.headers }, fetch: fetchLeniently }),
  );
  try {
    await client.connect(transport);
  } catch (error) {
    const refusal = explainServerError(error, settings.url);
    const mayBeSse = error instanceof SdkHttpError && MAY_BE_SSE.has(error.status);
    return mayBeSse ? connectByStream(options, settings, refusal) : refused(refusal);
  }
  client.onclose = () => options.onEnd('The connection to the MCP server was closed');
  return { ok: true, connection: connectionOf(client, 'Streamable HTTP', settings.url) };
}

/** @param refusal what Streamable HTTP was answered; null when it was not tried */
async function connectByStream(
  options: ConnectOptions,
  { url, headers }: Extract<ServerConnectionSettings, { type: 'http' }>,
  refusal: string | null,
): Promise<ConnectOutcome> {
  const client = createClient(options, 'legacy');
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it did not say within ${STREAM_MS / 1_000} seconds where to post`)), STREAM_MS);
  try {
    const transport = readLeniently(new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch: fetchLeniently }));
    await Promise.race([client.connect(transport), late.promise]);
  } catch (error) {
    await client.close();
    return refused(refusal ?? explainServerError(error, url));
  } finally {
    clearTimeout(timer);
  }
  client.onclose = () => options.onEnd('The connection to the MCP server was closed');
  client.onerror = (error) => {
    if (error instanceof SseError) void client.close();
  };
  return { ok: true, connection: connectionOf(client, 'HTTP+SSE', url) };
}

async function connectToProcess(
  options: ConnectOptions,
  settings: Extract<ServerConnectionSettings, { type: 'stdio' }>,
): Promise<ConnectOutcome> {
  const workingDirectory = path.resolve(options.folder, settings.cwd ?? '.');
  if (!isFolder(workingDirectory)) return invalidField(options, 'cwd', `\`cwd\` is not a folder that is there: ${settings.cwd ?? ''}`);
  const environment = { ...options.environment, ...settings.env };
  const command = findCommand(settings.command, environment['PATH'] ?? '', workingDirectory);
  if (command === null) {
    const told = isThere(settings.command, workingDirectory)
      ? {
          message: `The command \`${settings.command}\` is there, but it may not be run.`,
          hint: 'Make it a program (`chmod +x`), or let the program that reads it be the `command` and this one of its `args`. Then press Reload.',
        }
      : {
          message: `There is no command \`${settings.command}\` that could be run.`,
          hint: 'Install it, or give its full path in `command`; it is looked for on the PATH that extensions see. Then press Reload.',
        };
    return { ok: false, failure: { code: 'runtime_missing', ...told, subject: [...options.subject, 'command'] } };
  }
  const prefix = await findParentDeathPrefix();
  const [first = command, ...rest] = [...prefix, command, ...settings.args];
  for (const generation of ['auto', 'legacy'] as const) {
    const server = createServerProcess({
      command: [first, ...rest],
      environment,
      workingDirectory,
      maxLineBytes: options.maxLineBytes,
      onStrayLine: options.onStrayLine,
    });
    const client = createClient(options, generation);
    try {
      await client.connect(readLeniently(server));
    } catch (error) {
      if (generation === 'auto' && endedWhenProbed(server, error)) {
        options.onSecondStart(`The server ${server.howItEnded()} before it had answered; it is started once more and asked the older way`);
        continue;
      }
      const ended = server.howItEnded();
      await server.close();
      return refused(ended === null ? explainServerError(error, null) : `The server ${ended} before it had answered.`);
    }
    client.onclose = () => options.onEnd(`The MCP server ${server.howItEnded() ?? 'closed the connection'}`, server.exitCode());
    return { ok: true, connection: connectionOf(client, 'standard streams', null) };
  }
  return refused('The server ended each time it was asked to begin.');
}

/** Some servers of the older generation end when they are asked anything before `initialize`. */
function endedWhenProbed(server: ServerProcess, error: unknown): boolean {
  return error instanceof SdkError && server.howItEnded() !== null && server.pid !== null;
}

function createClient(options: ConnectOptions, mode: 'auto' | 'legacy'): Client {
  const client = new Client(
    { name: 'switchboard', version: CLIENT_VERSION },
    {
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
      listChanged: {
        // The client would read the list itself, and all of it or nothing.
        tools: { autoRefresh: false, debounceMs: LIST_CHANGED_MS, onChanged: () => options.onToolsChanged() },
      },
    },
  );
  options.onClient(client);
  return client;
}

function connectionOf(client: Client, by: ServerConnection['by'], url: string | null): ServerConnection {
  return {
    client,
    by,
    async listTools() {
      if (client.getServerCapabilities()?.tools === undefined) return { tools: [], warnings: [] };
      const ask = async (cursor: string | undefined): Promise<Readonly<Record<string, unknown>>> => {
        const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } };
        return saidBy(await client.request(request, cursor === undefined ? {} : { timeout: LATER_PAGE_MS }));
      };
      const list = await readPages(ask, (error) => explainServerError(error, url));
      return url !== null && client.getProtocolEra() === 'modern' ? withoutInvalidHeaders(list) : list;
    },
  };
}

/** Within the time of a load: what the first pages list is kept when a later one never comes. */
const LATER_PAGE_MS = 5_000;

function refused(message: string): ConnectOutcome {
  return { ok: false, failure: { code: 'mcp_error', message } };
}

function invalidField({ subject }: ConnectOptions, field: string, message: string): ConnectOutcome {
  const hint = 'Correct it in mcp.json; when it has variables, look at their values.';
  return { ok: false, failure: { code: 'field_invalid', message, hint, subject: [...subject, field] } };
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
