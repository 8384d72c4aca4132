import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Call, callSchema } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { extensionLogPageSchema } from '#lib/contract/extension-reports.ts';
import type { ExtensionLogPage } from '#lib/contract/extension-reports.ts';
import { API } from '#lib/contract/paths.ts';
import { saveCallSchema, savedCallListSchema, savedCallSchema } from '#lib/contract/saved-call.ts';
import type { SaveCallBody, SavedCall } from '#lib/contract/saved-call.ts';
import { toolListSchema } from '#lib/contract/tool.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { cannotDo } from './command.ts';
import type { CommandContext } from './command.ts';
import { extensionsFolder, openHost, openTemporaryHost, readSettings } from './command-host.ts';
import { findServer } from './running-server.ts';

/** Runs the call: a server, or a host in this process. */
export interface Callee {
  tools(): Promise<readonly Tool[]>;
  call(tool: string, request: Asked): Promise<Call>;
  save(check: SaveCallBody): Promise<SavedCall>;
  saved(tool: string): Promise<readonly SavedCall[]>;
  /** New log lines of an extension; null without permission to read them. */
  logs(extension: string, after?: string): Promise<ExtensionLogPage | null>;
  /** Restarts an extension after a crash loop; absent on a server, where others may use it. */
  revive?(extension: string): Promise<void>;
  close(): Promise<void>;
}

export interface Asked {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number | undefined;
  readonly revision: number | undefined;
  readonly actor: string | undefined;
  /** The server runs a call with this key only once. */
  readonly key?: string;
}

export interface CalleeOptions {
  readonly url: string | undefined;
  readonly dir: string | undefined;
  readonly isAlone: boolean;
}

/** A running server, else a host in this process. */
export async function findCallee(context: CommandContext, { url, dir, isAlone }: CalleeOptions): Promise<Callee> {
  return (isAlone ? null : await serverCallee(context, url)) ?? (await localCallee(context, dir));
}

export function findTool(name: string, tools: readonly Tool[]): Tool {
  const tool = tools.find((known) => known.name === name);
  if (tool === undefined) throw cannotDo(unknownTool(name, tools));
  return tool;
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const meant = nearestName(name, names);
  if (meant !== null) return `Tool “${name}” not found. Did you mean ${meant}?`;
  return `Tool “${name}” not found. There ${names.length === 0 ? 'are none' : `are: ${names.join(', ')}`}.`;
}

async function serverCallee(context: CommandContext, url: string | undefined): Promise<Callee | null> {
  const server = await findServer(context, url);
  if (server === null) return null;
  return {
    tools: async () => (await server.get(API.tools, toolListSchema)).tools,
    async call(tool, { arguments: given, timeoutMs, revision, actor, key }) {
      const headers = {
        ...(actor === undefined ? {} : { 'x-actor': encodeURIComponent(actor) }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      };
      const body = {
        arguments: given,
        ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
        ...(revision === undefined ? {} : { revision }),
      };
      const leave = (): void => context.note(`The call continues on the server. View or cancel it at ${server.url}/calls.`);
      context.signal.addEventListener('abort', leave, { once: true });
      try {
        return await server.post(API.callTool(tool), body, callSchema, headers);
      } finally {
        context.signal.removeEventListener('abort', leave);
      }
    },
    logs: (extension, after) => {
      const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
      return server.get(`${API.extensionLogs(extension)}${query}`, extensionLogPageSchema).catch(() => null);
    },
    save: (check) => server.post(API.savedCalls, check, savedCallSchema),
    saved: async (tool) =>
      (await server.get(`${API.savedCalls}?${new URLSearchParams({ tool }).toString()}`, savedCallListSchema)).saved_calls,
    close: async () => undefined,
  };
}

/** Uses an existing history; creates none. */
async function localCallee(context: CommandContext, dir: string | undefined): Promise<Callee> {
  const folder = extensionsFolder(context, dir);
  const dataDir = path.resolve(context.cwd, context.env['DATA_DIR'] || 'data');
  const isKept = dir === undefined && (Boolean(context.env['DATABASE_URL']) || existsSync(path.join(dataDir, 'switchboard.db')));
  const opened = isKept ? await openHost(context, readSettings(context), true) : await openTemporaryHost(context, folder);
  const { host } = opened;
  const revive = async (extension: string): Promise<void> => void (await host.extensions.restart(extension, { name: null }));
  return {
    tools: async () => host.tools.list().tools,
    async call(tool, { arguments: given, timeoutMs, revision, actor }) {
      const started = await host.calls.start({
        tool,
        arguments: given,
        timeoutMs,
        revision,
        source: 'cli',
        actor: { name: actor ?? null },
      });
      if (!started.ok) throw cannotDo(started.problem.detail);
      return callSchema.parse(parseExactJson(await started.value.finished));
    },
    async save(check) {
      const saved = await host.savedCalls.save(saveCallSchema.parse(check), { name: null });
      if (!saved.ok) throw cannotDo(saved.problem.detail);
      return saved.value;
    },
    saved: async (tool) => (await host.savedCalls.list(tool)).saved_calls,
    async logs(extension, after) {
      const page = host.extensions.logs(extension, after === undefined ? {} : { after });
      return page.ok ? page.value : null;
    },
    ...(isKept ? {} : { revive }),
    close: opened.close,
  };
}
