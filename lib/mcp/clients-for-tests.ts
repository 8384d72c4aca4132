import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { MODERN_VERSION } from './protocol.ts';

/** Common interface of the official clients: version 1, and version 2 in both protocol generations. */
export interface OfficialClient {
  readonly title: string;
  readonly sessions: boolean;
  connect(url: string, heard?: Heard, headers?: Readonly<Record<string, string>>): Promise<ConnectedClient>;
}

export interface Heard {
  readonly toolsChanged?: () => void;
  readonly promptsChanged?: () => void;
  readonly logged?: (level: string, data: unknown) => void;
}

export interface CallOptions {
  readonly onprogress?: (step: { progress: number; total?: number | undefined; message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
}

export interface ConnectedClient {
  instructions(): string | undefined;
  listTools(): Promise<{ tools: readonly Readonly<Record<string, unknown>>[] }>;
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Record<string, unknown>>;
  listPrompts(): Promise<{ prompts: readonly Readonly<Record<string, unknown>>[] }>;
  getPrompt(name: string): Promise<Record<string, unknown>>;
  readResource(uri: string): Promise<{ contents: readonly Readonly<Record<string, unknown>>[] }>;
  close(): Promise<void>;
}

const ABOUT = { name: 'official client', version: '1.0.0' };

function listening({ toolsChanged, promptsChanged }: Heard) {
  const heard = (onChanged: () => void) => ({ onChanged, autoRefresh: false, debounceMs: 0 });
  const tools = toolsChanged === undefined ? {} : { tools: heard(toolsChanged) };
  const prompts = promptsChanged === undefined ? {} : { prompts: heard(promptsChanged) };
  return toolsChanged === undefined && promptsChanged === undefined ? {} : { listChanged: { ...tools, ...prompts } };
}

const first: OfficialClient = {
  title: 'the first official client',
  sessions: true,
  async connect(url, heard = {}, headers = {}) {
    const client = new OldClient(ABOUT, listening(heard));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => heard.logged?.(params.level, params.data));
    const transport = new OldTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport);
    return {
      instructions: () => client.getInstructions(),
      listTools: () => client.listTools(),
      callTool: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
      listPrompts: () => client.listPrompts(),
      getPrompt: (name) => client.getPrompt({ name }),
      readResource: (uri) => client.readResource({ uri }),
      async close() {
        await transport.terminateSession();
        await client.close();
      },
    };
  },
};

function second(title: string, mode: 'legacy' | { readonly pin: string }): OfficialClient {
  return {
    title,
    sessions: mode === 'legacy',
    async connect(url, heard = {}, headers = {}) {
      const client = new Client(ABOUT, {
        versionNegotiation: { mode },
        ...listening(heard),
      });
      client.setNotificationHandler('notifications/message', ({ params }) => heard.logged?.(params.level, params.data));
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
      await client.connect(transport);
      return {
        instructions: () => client.getInstructions(),
        listTools: () => client.listTools(),
        callTool: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
        listPrompts: () => client.listPrompts(),
        getPrompt: (name) => client.getPrompt({ name }),
        readResource: (uri) => client.readResource({ uri }),
        async close() {
          if (mode === 'legacy') await transport.terminateSession();
          await client.close();
        },
      };
    },
  };
}

export const OFFICIAL_CLIENTS: readonly OfficialClient[] = [
  first,
  second('the second official client with a handshake', 'legacy'),
  second('the second official client, stateless', { pin: MODERN_VERSION }),
];
