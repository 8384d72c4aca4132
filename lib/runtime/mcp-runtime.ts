import { buildChildProgram } from './child-program.ts';
import { createCodeCacheWriter } from './code-cache.ts';
import { loadInProcess, loadMessage, type RuntimeOptions, runningOptions } from './load-in-process.ts';
import { type NodeProcessSettings, startNodeProcess } from './node-process.ts';
import { findParentDeathPrefix } from './parent-death.ts';
import { createRunningExtensions, type RunningExtensionsOptions } from './running-extensions.ts';
import { parseTokenAsk } from './parse-child-message.ts';
import type { ServerToken, TokenAsk } from '#lib/contract/servers.ts';
import type { FramedProcess } from './framed-process.ts';
import type { Artifact, RawFailure, Runtime } from './runtime.ts';

/**
 * Runs MCP servers as extensions. Each has a process that connects to it, so the server's messages are parsed there and never in
 * the host. A server that is a command runs in the same process group, so both end together. Only its user and environment limit
 * such a server.
 */
export interface McpRuntimeOptions extends RuntimeOptions {
  /** The secrets that its entry names. */
  secretsOf?(artifact: Artifact): Readonly<Record<string, string>>;
  /** Its access token at a server at a URL. Never rejects. */
  token?(artifact: Artifact, ask: TokenAsk): Promise<ServerToken>;
  /** An artifact that is loaded, or may start. */
  notice?(artifact: Artifact): void;
}

export function createMcpRuntime(options: McpRuntimeOptions): Runtime {
  const { limits, workspaceRoot } = options;
  const codeCache = createCodeCacheWriter();
  let made: Promise<NodeProcessSettings> | null = null;

  const make = async (): Promise<NodeProcessSettings> => {
    const [childProgram, prefix] = await Promise.all([buildChildProgram(options.cacheDir, 'server'), findParentDeathPrefix()]);
    if (!extensions.closing.aborted) codeCache.write(childProgram);
    return {
      childProgram,
      prefix,
      memoryMb: limits.extensionMemoryMb,
      maxResultBytes: limits.maxResultBytes,
      workspaceRoot,
      environment: options.commonEnvironment ?? {},
      isLimited: false,
    };
  };

  /** Retried after a failure: a full disk may have space again. */
  const settings = (): Promise<NodeProcessSettings> => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };

  const start: RunningExtensionsOptions['start'] = async (artifact, describe, log, signal, onLoaded) => {
    let process: FramedProcess;
    try {
      const known = await settings();
      process = answeringTokens(
        extensions.launch((mark) => startNodeProcess(known, [], mark), true),
        async (ask) => (await options.token?.(artifact, ask)) ?? NO_TOKEN,
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, failure: { code: 'spawn_failed', message: `Its process could not be prepared: ${reason}` } };
    }
    const outcome = await loadInProcess({
      process,
      isWarm: false,
      runsInChild: true,
      message: { ...loadMessage(artifact, describe, options), ownFolders: [artifact.folder], secrets: options.secretsOf?.(artifact) ?? {} },
      entryFile: artifact.entryFile,
      describe,
      onLoaded,
      log,
      runtime: options,
      signal,
    });
    if (outcome.ok) return outcome;
    return { ok: false, failure: { file: artifact.entryFile, ...asServerFailure(outcome.failure, limits.loadTimeoutMs) } };
  };

  const extensions = createRunningExtensions({
    ...runningOptions(options),
    // The process reports a secret that is not set.
    refusal: undefined,
    start,
    isLoadedAgain: true,
    watchesChildren: true,
  });

  return {
    kind: 'mcp',
    makeSpace: extensions.makeSpace,
    load(artifact, loadOptions) {
      options.notice?.(artifact);
      return extensions.load(artifact, loadOptions);
    },
    revive(artifact, description, reviveOptions) {
      options.notice?.(artifact);
      return extensions.revive(artifact, description, reviveOptions);
    },
    prepare() {},
    close: () => extensions.close(() => codeCache.close()),
  };
}

const NO_TOKEN: ServerToken = { token: null, since: null, why: 'Sign-in is not available for this server.' };

/** The process gets the tokens of its own server, and no others. */
function answeringTokens(process: FramedProcess, tokenFor: (ask: TokenAsk) => Promise<ServerToken>): FramedProcess {
  let isOver = false;
  return {
    ...process,
    listen(listener) {
      process.listen({
        ...listener,
        onMessage(message, payload) {
          if (message.type !== 'token') return listener.onMessage(message, payload);
          const ask = parseTokenAsk(payload);
          if (ask === null) return process.kill('protocol', 'it asked for a token in a way that could not be read');
          void tokenFor(ask).then((token) => {
            if (!isOver) process.send({ type: 'token', id: message.id }, JSON.stringify(token));
          });
        },
        onEnd(end) {
          isOver = true;
          listener.onEnd(end);
        },
      });
    },
  };
}

/** Nothing is imported here; the load waits for the server's first answers. */
function asServerFailure(failure: RawFailure | null, limitMs: number): RawFailure {
  if (failure === null) return { code: 'spawn_failed', message: 'The process that connects to the MCP server stopped' };
  if (failure.code !== 'import_timeout') return failure;
  const { hint: _hint, ...rest } = failure;
  const message = `The MCP server did not answer within ${limitMs.toLocaleString('en')} ms (LOAD_TIMEOUT_MS); it was stopped, and Switchboard retries.`;
  return { ...rest, code: 'mcp_error', message };
}
