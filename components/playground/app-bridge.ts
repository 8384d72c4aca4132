import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { AgentResult } from '#lib/contract/agent-view.ts';

/**
 * The page's end of an MCP App, by the official bridge. Everything from the app is hostile: the bridge parses it, and what it asks
 * for goes through `AppRequests`.
 */
export interface AppRequests {
  /** Rejects for tools that are not for apps of this server. */
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<AgentResult>;
  readResource(uri: string): Promise<AgentResult>;
  /** False: refused. */
  openLink(url: string): Promise<boolean>;
}

export interface AppOptions {
  readonly frame: HTMLIFrameElement;
  readonly address: string;
  readonly theme: 'light' | 'dark';
  readonly toolInput: Readonly<Record<string, unknown>>;
  readonly requests: AppRequests;
  onReady(): void;
  onHeight(height: number): void;
  /** The app asks to be closed. */
  onCloseRequest(): void;
}

type ToolResult = Parameters<AppBridge['sendToolResult']>[0];
type ResourceResult = Awaited<ReturnType<NonNullable<AppBridge['onreadresource']>>>;

export interface OpenedApp {
  /** Of the call; once. */
  end(end: AppCallEnd): void;
  /** The app may still save what it has: until it answers or CLOSE_MS have passed its frame goes on, hidden, outside of the page. */
  close(): void;
}

const CLOSE_MS = 2_000;

export type AppCallEnd = { readonly result: AgentResult } | { readonly cancelled: string };

/** Loads the page of the app into the frame, and answers it until `close`. The call may still run. */
export function openApp({ frame, address, theme, toolInput, requests, onReady, onHeight, onCloseRequest }: AppOptions): OpenedApp | null {
  const target = frame.contentWindow;
  if (target === null) return null;
  const { promise: initialized, resolve: onInitialized } = Promise.withResolvers<void>();
  let isInitialized = false;
  const bridge = new AppBridge(
    null,
    { name: 'switchboard', title: 'Switchboard', version: '1' },
    { openLinks: {}, serverTools: {}, serverResources: {} },
    { hostContext: { theme, displayMode: 'inline', availableDisplayModes: ['inline'], platform: 'web', locale: navigator.language } },
  );
  bridge.oninitialized = () => {
    isInitialized = true;
    onReady();
    void bridge.sendToolInput({ arguments: { ...toolInput } });
    onInitialized();
  };
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) onHeight(height);
  };
  bridge.oncalltool = async ({ name, arguments: args = {} }) => (await requests.callTool(name, args)) as ToolResult;
  bridge.onreadresource = async ({ uri }) => (await requests.readResource(uri)) as ResourceResult;
  bridge.onopenlink = async ({ url }) => ((await requests.openLink(url)) ? {} : { isError: true });
  bridge.addEventListener('requestteardown', onCloseRequest);
  // Listens before the page loads, so that its first message is not missed.
  void bridge.connect(new PostMessageTransport(target, target)).catch(() => undefined);
  frame.src = address;
  return {
    end(end) {
      void initialized.then(() =>
        // The bridge validates messages of the app; those to it are the server's own.
        'result' in end ? bridge.sendToolResult(end.result as ToolResult) : bridge.sendToolCancelled({ reason: end.cancelled }),
      );
    },
    close() {
      const closeBridge = () => void bridge.close().catch(() => undefined);
      // A frame ends when it leaves the document, unless it is moved within it.
      if (!isInitialized || !frame.isConnected || !('moveBefore' in document.body)) return closeBridge();
      frame.hidden = true;
      frame.removeAttribute('title');
      document.body.moveBefore(frame, null);
      void bridge
        .teardownResource({}, { timeout: CLOSE_MS })
        .catch(() => undefined)
        .finally(() => {
          closeBridge();
          frame.remove();
        });
    },
  };
}
