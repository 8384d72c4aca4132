import { randomUUID } from 'node:crypto';
import type { Extension, KeptReason, ExtensionLogLine } from '#lib/contract/extension.ts';
import type {
  ExtensionLogPage,
  ExtensionLogQuery,
  ExtensionResources,
  ExtensionSettings,
  ExtensionSetting,
} from '#lib/contract/extension-reports.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import type { ExtensionPlace } from '#lib/registry/snapshot.ts';
import type { ExtensionDescription, ToolDescription, RunningExtension } from '#lib/runtime/runtime.ts';
import { createPythonInterpreters } from '#lib/runtime/python-interpreter.ts';
import type { HostConfig } from './config.ts';
import { permissionsOf } from './config.ts';
import { unknownExtension } from './extension-actions.ts';
import type { ExtensionViews } from './extension-detail.ts';
import { createResourceSamples } from './resource-samples.ts';
import type { Sampled } from './resource-samples.ts';
import { visibleVariables } from './extension-environment.ts';

/** Additional data for the page of one extension, each for one part of it. */
export interface ExtensionReports {
  /** Lines after the cursor `after`. */
  logs(id: string, query: ExtensionLogQuery): Result<ExtensionLogPage>;
  resources(id: string): Result<ExtensionResources>;
  settings(id: string): Promise<Result<ExtensionSettings>>;
}

export interface ExtensionReportsOptions {
  readonly config: HostConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The environment variables that every extension sees. */
  readonly common: Readonly<Record<string, string>>;
  readonly views: ExtensionViews;
}

const MIB = 1_048_576;

export function createExtensionReports({ config, environment, common, views }: ExtensionReportsOptions): {
  readonly host: ExtensionReports;
  close(): void;
} {
  const logs = createExtensionLogPages();
  const settings = createExtensionSettingsReport({ config, environment, common });
  const samples = createResourceSamples({
    list: () => views.list().map(sampledOf),
    get(id) {
      const shown = views.show(id);
      return shown.ok ? sampledOf(shown.value) : undefined;
    },
  });

  return {
    host: {
      logs(id, { after }) {
        const entry = views.entryFor(id);
        return entry === undefined ? unknownExtension(id) : ok(logs.read(entry.extension, entry.running, after ?? null));
      },
      resources(id) {
        if (views.entryFor(id) === undefined) return unknownExtension(id);
        return ok({ ...samples.read(id), memory_limit_bytes: config.extensionMemoryMb * MIB });
      },
      async settings(id) {
        const entry = views.entryFor(id);
        if (entry === undefined) return unknownExtension(id);
        const shown = views.present(entry.extension, entry.running);
        return ok(await settings.of(shown, entry.place, entry.running?.description ?? null));
      },
    },
    close: () => samples.close(),
  };
}

function sampledOf({ id, serving_revision: revision, process: { pid } }: Extension): Sampled {
  return { id, revision, pid };
}

/**
 * The effective settings of one extension, with the origin of each and how to change it, so that the cause of a timeout
 * is visible. Variables are listed by name only.
 */
interface ExtensionSettingsReport {
  of(extension: Extension, place: ExtensionPlace, description: ExtensionDescription | null): Promise<ExtensionSettings>;
}

interface ExtensionSettingsOptions {
  readonly config: HostConfig;
  /** The server's own, to distinguish set values from defaults. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly common: Readonly<Record<string, string>>;
}

const VARIABLES_MOST = 200;
const AND_RESTART = 'and restart the server';

function createExtensionSettingsReport({ config, environment, common }: ExtensionSettingsOptions): ExtensionSettingsReport {
  const interpreters = createPythonInterpreters({ python: config.python, environment: common });

  function byVariable(name: ExtensionSetting['name'], value: string, variable: string, change: string): ExtensionSetting {
    return { name, value, variable, is_set: Boolean(environment[variable]), change: `${change}, ${AND_RESTART}.` };
  }

  async function interpreter(extension: Extension, folder: string): Promise<ExtensionSetting> {
    const fixed = (value: string, change: string): ExtensionSetting => ({
      name: 'interpreter',
      value,
      variable: null,
      is_set: false,
      change,
    });
    if (extension.runtime === 'node') return fixed(`Node ${process.versions.node}`, 'The server’s own Node, pinned in package.json.');
    if (extension.runtime === 'mcp')
      return fixed('the program or address in its mcp.json', `Change \`command\` or \`url\` in ${extension.path}; saving is enough.`);
    const found = await interpreters.find(folder);
    if (!found.ok) return byVariable('interpreter', `none: ${found.failure.message}`, 'PYTHON', 'Set PYTHON to the path of a Python');
    const words = `Python ${found.version}, ${found.program}`;
    return found.isOwn
      ? fixed(`${words} (its own .venv)`, 'The .venv in its folder. Create it again with another Python, then reload the extension.')
      : byVariable('interpreter', words, 'PYTHON', 'Create a .venv in its folder, or set PYTHON to the path of another Python');
  }

  function permissions(extension: Extension): ExtensionSetting {
    if (extension.runtime !== 'node') {
      const hasNoNetwork = extension.runtime === 'python' && !permissionsOf(extension.id, config.extensionAllow).includes('net');
      return {
        name: 'permissions',
        value: hasNoNetwork
          ? 'everything that the user who runs the server may do, except the network if this machine can block it'
          : 'everything that the user who runs the server may do',
        variable: null,
        is_set: false,
        change: hasNoNetwork
          ? `Only Node supports all permissions. To allow the network, add ${extension.id}:net to EXTENSION_ALLOW and restart the server.`
          : `Only Node supports permissions; ${extension.runtime === 'python' ? 'Python extensions' : 'MCP servers'} are not restricted.`,
      };
    }
    const granted = extension.permissions.join(', ');
    return byVariable(
      'permissions',
      granted === '' ? 'none beyond its own folder and the workspace' : granted,
      'EXTENSION_ALLOW',
      `Add or remove pairs such as ${extension.id}:net in it`,
    );
  }

  function timeouts(tools: readonly ToolDescription[], isServer: boolean): ExtensionSetting[] {
    const own = tools.filter((tool) => tool.timeoutMs !== null).map((tool) => `${tool.name} ${inSeconds(tool.timeoutMs ?? 0)}`);
    return [
      byVariable(
        'call_timeout',
        `${inSeconds(config.callTimeoutMs)}${own.length === 0 ? '' : `; by ${isServer ? 'timeout in mcp.json' : 'timeout_ms of the tool'}: ${own.join(', ')}`}`,
        'CALL_TIMEOUT_MS',
        `${isServer ? 'Set timeout in seconds in its mcp.json entry' : 'Set timeout_ms of the tool'}, which applies on save, or set this for all`,
      ),
      byVariable('load_timeout', inSeconds(config.loadTimeoutMs), 'LOAD_TIMEOUT_MS', 'Set it'),
    ];
  }

  function idle(extension: Extension, described: KeptReason | null): ExtensionSetting {
    const variable = 'EXTENSION_IDLE_SECONDS';
    if (config.extensionIdleMs === 0)
      return byVariable('idle', 'keeps running, like all processes', variable, 'Set it to a number above 0');
    const { value, change } = idleWords(extension, described, inSeconds(config.extensionIdleMs));
    return { ...byVariable('idle', value, variable, change), change };
  }

  function excluded(extension: Extension): ExtensionSetting[] {
    const variable = 'EXTENSION_EXCLUDED_EXTENSIONS';
    const tools = extension.tools.length === 0 ? [] : [...config.excludedTools];
    return [
      byVariable(
        'excluded',
        extension.state === 'excluded' ? 'yes, it is not run' : 'no',
        variable,
        extension.state === 'excluded' ? 'Remove its id (the name “example” is always included)' : 'Add its id',
      ),
      byVariable('excluded_tools', tools.length === 0 ? 'none' : tools.join(', '), 'EXTENSION_EXCLUDED_TOOLS', 'Add or remove tool names'),
    ];
  }

  function byPeople(extension: Extension): ExtensionSetting[] {
    const pinned = extension.pinned_revision;
    const common = { variable: null, is_set: false } as const;
    return [
      {
        ...common,
        name: 'disabled',
        value: extension.state === 'disabled' ? 'yes, it is switched off' : 'no',
        change:
          extension.disabled_by === 'file'
            ? `Write "disabled": false into ${extension.path}.`
            : `Press ${extension.state === 'disabled' ? 'Enable' : 'Disable'} at the top of its page. The setting survives restarts.`,
      },
      {
        ...common,
        name: 'pinned',
        value: pinned === null ? 'no, the newest that loads serves' : `to revision ${pinned}`,
        change:
          pinned === null ? 'Press Pin at one of its revisions. The setting survives restarts.' : 'Press Unpin at the top of its page.',
      },
    ];
  }

  return {
    async of(extension, { folder }, description) {
      const variables = visibleVariables(common, folder);
      return {
        settings: [
          permissions(extension),
          await interpreter(extension, folder),
          byVariable('memory_limit', `${config.extensionMemoryMb} MiB of resident memory`, 'EXTENSION_MEMORY_MB', 'Set it'),
          idle(extension, description?.kept ?? null),
          ...timeouts(description?.tools ?? [], extension.kind === 'mcp'),
          byVariable('result_limit', `${config.maxResultBytes} bytes`, 'MAX_RESULT_BYTES', 'Set it'),
          ...excluded(extension),
          ...byPeople(extension),
          byVariable(
            'keep_last_good',
            config.keepLastGood ? 'yes, the last good revision serves while a newer one fails' : 'no, a failed load withdraws its tools',
            'KEEP_LAST_GOOD',
            'Set it to true or false',
          ),
        ],
        environment: variables.slice(0, VARIABLES_MOST),
        environment_count: variables.length,
      };
    },
  };
}

/**
 * Whether its process ends without calls, and what changes that: the choice on its page has priority over its source or
 * mcp.json, and neither ends a process in which something is active.
 * @param described why its description keeps it, whatever was chosen
 */
export function idleWords(
  { kind, path, keep_alive: chosen, process: { kept } }: Pick<Extension, 'kind' | 'path' | 'keep_alive' | 'process'>,
  described: KeptReason | null,
  after: string,
): { readonly value: string; readonly change: string } {
  const isServer = kind === 'mcp';
  const declare = (keep: boolean): string =>
    isServer ? `Write "keepAlive": ${keep} into its entry in ${path}` : `Export KEEP_ALIVE = ${keep}`;
  const either = (keep: boolean): string =>
    `${declare(keep)}, which applies on save, or choose “${keep ? 'Keep running' : 'End when idle'}” beside its process on its page`;
  if (kept === 'channel')
    return { value: 'kept: it receives messages', change: `The process of a channel does not end. Set this for others, ${AND_RESTART}.` };
  if (kept === 'activity')
    return {
      value: 'kept: something runs in it, such as a timer',
      change: `Its log names what is active. End that in its ${isServer ? 'program' : 'source'}.`,
    };
  if (kept === 'session' && (chosen === false || described !== 'session'))
    return { value: 'kept: someone is subscribed to one of its resources', change: 'It can end after the last subscription.' };
  if (chosen !== undefined)
    return {
      value: chosen ? 'kept: a person chose to keep it running' : `ends after ${after} without calls, as a person chose`,
      change: `Choose “${chosen ? 'End when idle' : 'Keep running'}” or “Automatic” beside its process on its page.`,
    };
  if (kept === null) return { value: `ends after ${after} without calls`, change: `${either(true)}, or set this for all, ${AND_RESTART}.` };
  const why = { state: 'calls may change its state in memory', session: 'it holds a session', chosen: 'a person chose to keep it running' };
  const declared = isServer ? 'its mcp.json has "keepAlive": true' : 'its source exports KEEP_ALIVE';
  return { value: `kept: ${kept === 'declared' ? declared : why[kept]}`, change: `${either(false)}.` };
}

function inSeconds(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}

/**
 * An extension's log from a reader's last position. Every running revision has its own log, so a cursor contains the
 * log's id and the number of lines read; a cursor of another log gets the complete current log.
 */
interface ExtensionLogPages {
  read(extension: Extension, running: RunningExtension | null, after: string | null): ExtensionLogPage;
}

export function createExtensionLogPages(): ExtensionLogPages {
  const names = new WeakMap<RunningExtension, string>();

  function nameOf(running: RunningExtension): string {
    const known = names.get(running) ?? randomUUID();
    names.set(running, known);
    return known;
  }

  return {
    read(extension, running, after) {
      const log = running?.logs() ?? { lines: printedLines(extension), dropped: 0 };
      const name = running === null ? `load-${extension.failure?.id ?? 'none'}` : nameOf(running);
      const [afterName, afterCount = ''] = after?.split('.') ?? [];
      const read = afterName === name && /^\d{1,15}$/.test(afterCount) ? Number(afterCount) : 0;
      const seen = Math.min(Math.max(0, read - log.dropped), log.lines.length);
      return {
        revision: running === null ? null : (extension.serving_revision ?? extension.failure?.revision ?? null),
        lines: log.lines.slice(seen),
        cursor: `${name}.${log.dropped + log.lines.length}`,
        restarted: after !== null && afterName !== name,
        dropped: Math.max(0, log.dropped - read),
      };
    },
  };
}

/** Of an extension that failed to load: its output during the load. */
export function printedLines({ failure }: Extension): ExtensionLogLine[] {
  const lines = failure?.output?.trimEnd().split('\n') ?? [];
  return lines.map((message) => ({
    time: failure?.last_seen ?? new Date(0).toISOString(),
    level: 'info',
    stream: 'stdout',
    message,
    call_id: null,
  }));
}
