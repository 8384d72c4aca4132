'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import { hostOfLink } from '#components/calls/result/McpContentView.tsx';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import { isJsonObject } from '#components/tool-form/json-text.ts';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Button } from '#components/ui/Button.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { queries } from '#lib/client/queries.ts';
import { readServerResource } from '#lib/client/server-queries.ts';
import { runToEnd } from '#lib/client/written-call.ts';
import { agentResult, type AgentResult } from '#lib/contract/agent-view.ts';
import type { Call } from '#lib/contract/call.ts';
import { appOf } from '#lib/contract/mcp-apps.ts';
import { API } from '#lib/contract/paths.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { CallQuestions } from './CallQuestions.tsx';

const HEIGHT = { first: 160, min: 60, max: 800 };
/** After the page has loaded. */
const START_MS = 10_000;

interface Question {
  readonly title: string;
  readonly description: string;
  readonly confirm: string;
  readonly danger: boolean;
  answer(isAllowed: boolean): void;
}

interface AppProps {
  readonly call: Call;
  readonly tool: Tool;
  readonly uri: string;
}

/**
 * The MCP App of a tool, beside a call and its result. Its page has an opaque origin and a policy set by the server; the sandbox
 * of the frame denies everything else (docs/security.md).
 */
export function AppFrame({ call, tool, uri }: AppProps) {
  const [closed, setClosed] = useState<string | null>(null);
  return (
    <section aria-label="App" className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <h3 className="text-sm font-semibold">App</h3>
        <code className="min-w-0 text-xs break-all text-muted">{uri}</code>
      </div>
      {closed === call.id ? (
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          The app closed itself.
          <Button size="sm" onClick={() => setClosed(null)}>
            Open it again
          </Button>
        </p>
      ) : (
        <OpenApp key={`${call.id} ${uri}`} call={call} tool={tool} uri={uri} onClose={() => setClosed(call.id)} />
      )}
    </section>
  );
}

/** The app of one call; another call gets another frame. */
function OpenApp({ call, tool, uri, onClose }: AppProps & { onClose(): void }) {
  const client = useQueryClient();
  const frame = useRef<HTMLIFrameElement>(null);
  const isClosed = useRef(false);
  const [height, setHeight] = useState(HEIGHT.first);
  const [state, setState] = useState<'loading' | 'loaded' | 'ready' | 'failed'>('loading');
  const [question, setQuestion] = useState<Question | null>(null);
  const [running, setRunning] = useState<string | null>(null);

  const ask = (details: Omit<Question, 'answer'>): Promise<boolean> =>
    new Promise((resolve) => {
      if (isClosed.current) return resolve(false);
      setQuestion({
        ...details,
        answer(isAllowed) {
          setQuestion(null);
          resolve(isAllowed);
        },
      });
    });

  const callTool = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const { tools } = await client.fetchQuery(queries.tools());
    const found = tools.find(
      ({ extension, remote_name: remote, meta, available }) =>
        extension === tool.extension && remote === name && available && appOf(meta).isForApp,
    );
    if (found === undefined) throw new Error(`Unknown tool: ${name.slice(0, 100)}`);
    const isAllowed =
      !isDestructive(found) ||
      (await ask({
        title: `Call ${found.name}?`,
        description: 'The app asks for it. This tool is destructive: it may change or delete data.',
        confirm: 'Call',
        danger: true,
      }));
    if (!isAllowed) return { content: [{ type: 'text', text: 'The person refused the call.' }], isError: true };
    try {
      return resultOf(await runToEnd(client, found.name, args, setRunning));
    } finally {
      setRunning(null);
    }
  };

  const openLink = async (url: string): Promise<boolean> => {
    const host = hostOfLink(url);
    if (host === null) return false;
    const isAllowed = await ask({ title: `Open ${host}?`, description: url.slice(0, 500), confirm: 'Open', danger: false });
    if (isAllowed) window.open(url, '_blank', 'noopener,noreferrer');
    return isAllowed;
  };

  const open = useEffectEvent((element: HTMLIFrameElement) =>
    openApp({
      frame: element,
      address: API.serverApp(tool.extension, uri),
      theme: getComputedStyle(element).colorScheme.includes('dark') ? 'dark' : 'light',
      toolInput: isJsonObject(call.arguments) ? call.arguments : {},
      requests: { callTool, openLink, readResource: (address) => readServerResource(tool.extension, address) },
      onReady: () => setState('ready'),
      onHeight: (wanted) => setHeight(Math.min(HEIGHT.max, Math.max(HEIGHT.min, Math.ceil(wanted)))),
      onCloseRequest: onClose,
    }),
  );
  const app = useRef<OpenedApp | null>(null);
  // A layout effect: its cleanup runs before React removes the frame.
  useLayoutEffect(() => {
    if (frame.current === null) return undefined;
    const opened = open(frame.current);
    app.current = opened;
    isClosed.current = false;
    return () => {
      isClosed.current = true;
      opened?.close();
    };
  }, []);

  const end = useEffectEvent(() =>
    app.current?.end(call.status === 'cancelled' ? { cancelled: call.error?.message ?? '' } : { result: resultOf(call) }),
  );
  const isRunning = call.status === 'running';
  useEffect(() => {
    if (!isRunning) end();
  }, [isRunning]);

  useEffect(() => {
    if (state !== 'loaded') return undefined;
    const timer = setTimeout(() => setState('failed'), START_MS);
    return () => clearTimeout(timer);
  }, [state]);

  return (
    // React removes this wrapper, not the frame, which `close` may have moved elsewhere.
    <div className="flex min-w-0 flex-col gap-2">
      {state === 'failed' ? (
        <ProblemLine>The app did not start. Open the call’s result below, or read {uri} on the page of the server.</ProblemLine>
      ) : null}
      <iframe
        ref={frame}
        title={`App of ${tool.name}`}
        sandbox="allow-scripts allow-forms"
        referrerPolicy="no-referrer"
        style={{ height }}
        className="w-full rounded border bg-panel"
        onLoad={() => setState((now) => (now === 'loading' && frame.current?.getAttribute('src') !== null ? 'loaded' : now))}
      />
      {running === null ? null : <QuestionsOf id={running} />}
      {question === null ? null : (
        <AlertDialog
          onClose={() => question.answer(false)}
          title={question.title}
          description={question.description}
          confirm={question.confirm}
          danger={question.danger}
          onConfirm={() => question.answer(true)}
        />
      )}
    </div>
  );
}

function QuestionsOf({ id }: { id: string }) {
  const { data } = useQuery(queries.call(id));
  return data === undefined || (data.questions ?? []).length === 0 ? null : <CallQuestions call={data} />;
}

function resultOf({ result, error }: Call) {
  return agentResult({ result, error }, { isRemote: true, hasOutputSchema: false, isModern: false });
}

/**
 * Requests of an MCP App to the page, through the official bridge. Everything from the app is untrusted: the bridge parses it,
 * and these functions decide.
 */
interface AppRequests {
  /** Rejects for tools that are not for apps of this server. */
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<AgentResult>;
  readResource(uri: string): Promise<AgentResult>;
  openLink(url: string): Promise<boolean>;
}

interface AppOptions {
  readonly frame: HTMLIFrameElement;
  readonly address: string;
  readonly theme: 'light' | 'dark';
  readonly toolInput: Readonly<Record<string, unknown>>;
  readonly requests: AppRequests;
  onReady(): void;
  onHeight(height: number): void;
  onCloseRequest(): void;
}

type ToolResult = Parameters<AppBridge['sendToolResult']>[0];
type ResourceResult = Awaited<ReturnType<NonNullable<AppBridge['onreadresource']>>>;

interface OpenedApp {
  /** Reports the end of the call, once. */
  end(end: AppCallEnd): void;
  /** Gives the app time to save: its frame stays in the document, hidden, until it answers or CLOSE_MS pass. */
  close(): void;
}

const CLOSE_MS = 2_000;

type AppCallEnd = { readonly result: AgentResult } | { readonly cancelled: string };

/** Loads the page of the app into the frame and answers its requests until `close`. The call may still run. */
function openApp({ frame, address, theme, toolInput, requests, onReady, onHeight, onCloseRequest }: AppOptions): OpenedApp | null {
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
      // Only `moveBefore` moves a frame without reloading it.
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
