import * as z from 'zod';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { ok, type Problem, refuse, type Result } from '#lib/contract/result.ts';
import type { Host, Actor } from '#lib/host/host.ts';
import { fieldIssues } from '#lib/contract/field-words.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Extension } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { SourceChange } from '#lib/contract/source-file.ts';

/**
 * Tools by which agents write extensions, enabled by MCP_AUTHORING. They run code as the user of this server, so each call
 * requires the admin token if one is set, wrong tokens count as in the API, and calls are logged with the name of the client.
 */
export interface Authoring {
  readonly listed: readonly Readonly<Record<string, unknown>>[];
  has(name: string): boolean;
  /** The `result` of `tools/call`. */
  call(name: string, args: Readonly<Record<string, unknown>>, caller: AuthoringCaller): Promise<AuthoringResult>;
}

export interface AuthoringCaller {
  readonly headers: McpHeaders;
  readonly clientName: string | null;
}

type AuthoringResult = Record<string, unknown>;

/** In the instructions for agents. */
export const AUTHORING_INSTRUCTIONS =
  'switchboard:\nYou can write the extensions of this server: switchboard_write_file loads what it writes at once and answers why it failed. Read a file before you change it, and name the hash it had. A new tool appears in tools/list as soon as its extension is ready.';

/** Null if disabled: then the tool names are unknown. */
export function createAuthoring(host: Host): Authoring | null {
  if (!host.config.mcpAuthoring) return null;
  const tools = new Map<string, AuthoringTool>(AUTHORING_TOOLS.map((tool) => [tool.name, tool]));
  return {
    listed: AUTHORING_TOOLS.map(({ name, title, description, annotations, parameters }) => ({
      name,
      title,
      description,
      inputSchema: z.toJSONSchema(parameters, { io: 'input' }),
      annotations,
    })),
    has: (name) => tools.has(name),
    async call(name, args, { headers, clientName }) {
      const subject = args['path'] ?? args['extension'];
      const allowed = await headers.authorize('extensions.edit', typeof subject === 'string' ? subject : null);
      if (!allowed.ok) return failed(refusalText(allowed.problem));
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`${name} is no tool for authors`);
      const actor = headers.caller.actor ?? clientName;
      const about = typeof subject === 'string' ? { subject: subject.slice(0, 200) } : {};
      host.logger.info('An agent works on extensions', {
        tool: name,
        client: clientName,
        ...(headers.caller.actor === null ? {} : { actor }),
        ...about,
      });
      const done = await tool.run(args, host, { name: actor });
      if (tool.annotations['readOnlyHint'] !== true)
        headers.audit('extensions.edit', typeof subject === 'string' ? subject : null, done.ok ? 'done' : 'failed', {
          tool: name,
          ...(clientName === null ? {} : { client: clientName }),
          ...hashesOf(args, done.ok ? done.value : {}),
          ...(done.ok ? {} : { problem: done.problem.code }),
        });
      if (!done.ok) return failed(withToolNames(done.problem.detail));
      return { content: [{ type: 'text', text: JSON.stringify(done.value) }], structuredContent: done.value };
    },
  };
}

/** With accounts, the message already names the required role. */
function refusalText({ code, detail }: Problem): string {
  return code === 'admin_token_invalid' ? `${detail}: send the admin token in the header x-admin-token.` : detail;
}

/** Hashes before and after: enough to find the revision, without the text. */
function hashesOf(args: Readonly<Record<string, unknown>>, value: Readonly<Record<string, unknown>>): AuditDetail {
  const before = args['expected_hash'];
  const { hash } = value;
  return { ...(typeof before === 'string' ? { before } : {}), ...(typeof hash === 'string' ? { hash } : {}) };
}

/** Replaces API endpoints by the tools that an agent has. */
function withToolNames(detail: string): string {
  return detail
    .replace(/GET \/api\/v1\/extensions\/\{id\}\/undo /, 'switchboard_undo_files without files ')
    .replace(/ GET \/api\/v1\/extensions\/\{id\} lists its revisions\./, '')
    .replace(/GET \/api\/v1\/extensions lists/, 'switchboard_check_extensions lists');
}

function failed(text: string): AuthoringResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Tools for writing extensions: the host methods that the dashboard uses, with results of limited size. */
interface AuthoringTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly parameters: z.ZodType;
  run(args: unknown, host: Host, actor: Actor): Promise<Result<Readonly<Record<string, unknown>>>>;
}

const FILES_SHOWN = 500;
const FAILURES_SHOWN = 20;
const LINES_SHOWN = 20;
const TEXT_SHOWN = 4_000;
const READ_CHARACTERS = 65_536;

const path = z.string().min(1).max(400).describe('Path below the extensions folder, such as "weather/extension.ts".');
const extension = z.string().min(1).max(200).describe('Id of an extension, such as "weather" or "tools/measure_text".');
const hash = z.string().length(64);

/** Binds a parameter schema to its handler, so that both agree. */
function tool<Parameters extends z.ZodType>(
  facts: Omit<AuthoringTool, 'parameters' | 'run'>,
  parameters: Parameters,
  run: (args: z.output<Parameters>, host: Host, actor: Actor) => ReturnType<AuthoringTool['run']>,
): AuthoringTool {
  return {
    ...facts,
    parameters,
    async run(args, host, actor) {
      const read = parameters.safeParse(args);
      if (read.success) return run(read.data, host, actor);
      const issues = fieldIssues('The value', parameters, read.error.issues);
      return refuse('body_fields_invalid', `The arguments are invalid:\n${issues.map(({ message }) => `- ${message}`).join('\n')}`);
    },
  };
}

const READS = { readOnlyHint: true, openWorldHint: false };
const CHANGES = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

export const AUTHORING_TOOLS: readonly AuthoringTool[] = [
  tool(
    {
      name: 'switchboard_list_files',
      title: 'List files of extensions',
      description: 'Lists the files of the extensions folder with their sizes, all or those below a folder.',
      annotations: READS,
    },
    z.strictObject({ folder: z.string().max(400).default('').describe('Only files below it, such as "weather".') }),
    async ({ folder }, host) => {
      const tree = await host.sources.tree();
      if (!tree.ok) return tree;
      const below = folder === '' ? '' : `${folder.replace(/\/+$/, '')}/`;
      const files = tree.value.files.filter((file) => file.path.startsWith(below));
      return ok({
        files: files.slice(0, FILES_SHOWN),
        truncated: tree.value.truncated || files.length > FILES_SHOWN,
        read_only: tree.value.read_only,
      });
    },
  ),
  tool(
    {
      name: 'switchboard_read_file',
      title: 'Read a file of an extension',
      description: `Reads a file, with the hash that a change of it must name. At most ${READ_CHARACTERS} characters at a time; next_offset is the start of the next part.`,
      annotations: READS,
    },
    z.strictObject({ path, offset: z.int().min(0).default(0).describe('Characters to skip.') }),
    async ({ path: file, offset }, host) => {
      const read = await host.sources.read(file);
      if (!read.ok) return read;
      const { text, hash: found } = read.value;
      const end = offset + READ_CHARACTERS;
      return ok({ path: file, hash: found, text: text.slice(offset, end), next_offset: end < text.length ? end : null });
    },
  ),
  tool(
    {
      name: 'switchboard_write_file',
      title: 'Write a file of an extension',
      description:
        'Writes a complete file and loads it immediately. Returns the state of the extension, its tools, and for a failure the reason with the lines around it. Write {folder}/extension.ts exporting TOOL or TOOLS, each { label, name, description, parameters, execute }; or extension.py, or one function run in tools/{name}.ts.',
      annotations: CHANGES,
    },
    z.strictObject({
      path,
      text: z.string().max(LIMITS.sourceFileBytes).describe('The complete text of the file.'),
      expected_hash: hash.nullable().describe('The hash that the file had when it was read; null for a new file.'),
    }),
    async ({ path: file, ...change }, host, actor) => {
      const written = await host.sources.write(file, change, actor);
      return written.ok ? ok(await outcomeOfFile(host, written.value)) : written;
    },
  ),
  tool(
    {
      name: 'switchboard_remove_file',
      title: 'Remove a file of an extension',
      description: 'Removes a file. An extension without its entry file is removed; its revisions are kept.',
      annotations: CHANGES,
    },
    z.strictObject({ path, expected_hash: hash.describe('The hash that the file had when it was read.') }),
    async ({ path: file, expected_hash: expected }, host, actor) => {
      const removed = await host.sources.remove(file, expected, actor);
      return removed.ok ? ok(await outcomeOfFile(host, removed.value)) : removed;
    },
  ),
  tool(
    {
      name: 'switchboard_undo_files',
      title: 'Undo files to a revision',
      description:
        'Without files: lists the files of an extension that differ from one of its revisions, each with its hash. With files: restores them, and removes those named in remove.',
      annotations: CHANGES,
    },
    z.strictObject({
      extension,
      revision: z.int().min(1),
      files: z.record(z.string(), hash.nullable()).optional().describe('Path to hash of every file that differs, as listed without files.'),
      remove: z.record(z.string(), hash).default({}).describe('Path to hash of extra files to remove.'),
    }),
    async ({ extension: id, revision, files, remove }, host, actor) => {
      if (files === undefined) {
        const plan = await host.extensions.planUndo(id, revision);
        if (!plan.ok) return plan;
        const differ = plan.value.files.map(
          ({ path: file, hash: now, used_by: usedBy }) => [file, { hash: now, used_by: usedBy }] as const,
        );
        return ok({ files: Object.fromEntries<unknown>(differ), extra: plan.value.extra, left: plan.value.left });
      }
      const undone = await host.extensions.undo(id, { revision, files, remove }, actor);
      if (!undone.ok) return undone;
      const { written, removed, changed } = undone.value;
      return ok({ written, removed, ...(await outcomeOf(host, [id, ...changed])) });
    },
  ),
  tool(
    {
      name: 'switchboard_check_extensions',
      title: 'Check extensions',
      description:
        'For one extension or all: state, tools, lint warnings, and why it does not load, with the failing lines and a fix. For one also its newest log lines, with the location of errors thrown by tools.',
      annotations: READS,
    },
    z.strictObject({ extension: extension.optional() }),
    async ({ extension: id }, host) => {
      const { extensions } = host.extensions.list();
      const wanted = id === undefined ? extensions : extensions.filter((one) => one.id === id);
      if (id !== undefined && wanted.length === 0)
        return refuse('extension_not_found', `There is no extension “${id}”. Omit \`extension\` to list all.`);
      const failing = wanted.filter(({ failure }) => failure !== null);
      const working = wanted.filter(({ failure }) => failure === null);
      const shown = [...failing.slice(0, FAILURES_SHOWN), ...working.slice(0, FILES_SHOWN)];
      return ok({
        extensions: shown.map(extensionOf),
        truncated: shown.length < wanted.length,
        ...(id === undefined ? {} : { log: logOf(host, id) }),
      });
    },
  ),
  tool(
    {
      name: 'switchboard_request_install',
      title: 'Request an install of packages',
      description:
        'Asks for the install of the packages that an extension declares (package.json, requirements.txt or a script block). A person sees the request on the page of the extension and decides; where the server installs automatically, the install begins. Call it again, or switchboard_check_extensions, to see the state.',
      annotations: CHANGES,
    },
    z.strictObject({ extension }),
    async ({ extension: id }, host, actor) => {
      const asked = await host.extensions.requestInstall(id, actor);
      if (!asked.ok) return asked;
      const { state, requirements, requested, install } = asked.value;
      return ok({
        state,
        requested: requested !== null,
        requirements: requirements.slice(0, 100).map(({ requirement }) => requirement),
        ...(install === null
          ? {}
          : { install: { state: install.state, failure: install.failure, output: install.output.slice(-LINES_SHOWN) } }),
        ...(requested === null ? {} : { next: `A person has to press Install on the page of the extension ${id}. Ask them to.` }),
      });
    },
  ),
  tool(
    {
      name: 'switchboard_reload',
      title: 'Reload extensions',
      description: 'Reloads one extension or all from their files. Writing a file reloads automatically.',
      annotations: CHANGES,
    },
    z.strictObject({ extension: extension.optional() }),
    async ({ extension: id }, host, actor) => {
      const reloaded = await host.extensions.reload(id === undefined ? null : [id], actor);
      if (!reloaded.ok) return reloaded;
      const { loaded_extensions: loaded, failed_extensions: failed } = reloaded.value;
      return ok({ loaded: loaded.slice(0, FILES_SHOWN), failed: failed.slice(0, FAILURES_SHOWN).map(failureOf) });
    },
  ),
  tool(
    {
      name: 'switchboard_read_failures',
      title: 'Read failures',
      description: 'The newest open failures, crashes included, each with message, location, stack, surrounding lines and a fix.',
      annotations: READS,
    },
    z.strictObject({ extension: extension.optional(), limit: z.int().min(1).max(FAILURES_SHOWN).default(10) }),
    async ({ extension: id, limit }, host) => {
      const page = await host.failures.list({ status: 'open', extension: id, limit });
      if (!page.ok) return page;
      return ok({ failures: page.value.groups.map(({ latest, count }) => ({ ...failureOf(latest), count, stack: cut(latest.stack) })) });
    },
  ),
];

/** Result of a change: the changed extensions, and the one that has the file. */
async function outcomeOfFile(host: Host, { path: file, hash: now, changed }: SourceChange): Promise<Readonly<Record<string, unknown>>> {
  const [first = '', second = ''] = file.split('/');
  const own = first === 'tools' || first === 'channels' ? `${first}/${second.replace(/\.[^.]*$/, '')}` : first;
  return { path: file, hash: now, ...(await outcomeOf(host, [...changed, own])) };
}

async function outcomeOf(host: Host, touchedIds: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const ids = new Set(touchedIds);
  const touched = (): Extension[] => host.extensions.list().extensions.filter(({ id }) => ids.has(id));
  // The watcher may handle the same change.
  await settled(host, () => touched().every(({ state }) => state !== 'loading'));
  return { extensions: touched().slice(0, FAILURES_SHOWN).map(extensionOf) };
}

/** Resolves when the condition holds or the load timeout has passed. */
function settled(host: Host, isSettled: () => boolean): Promise<void> {
  if (isSettled()) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(limit);
      unsubscribe();
      resolve();
    };
    const limit = setTimeout(end, host.config.loadTimeoutMs);
    const unsubscribe = host.events.subscribeOwn(() => {
      if (isSettled()) end();
    });
    if (isSettled()) end();
  });
}

function extensionOf({ id, state, revision, serving_revision: serving, tools, warnings, failure }: Extension) {
  return {
    id,
    state,
    revision,
    serving_revision: serving,
    tools: tools.slice(0, 100),
    warnings: warnings.slice(0, 10).map((warning) => cut(warning)),
    failure: failure === null ? null : failureOf(failure),
  };
}

function failureOf({ id, extension: of, code, message, hint, file, line, column, code_frame: frame, output }: Failure) {
  return {
    id,
    extension: of,
    code,
    message: cut(message),
    hint: cut(hint.replace(/POST \/api\/v1\/extensions\/\S+\/install/, 'call switchboard_request_install')),
    file,
    line,
    column,
    code_frame: cut(frame),
    output: cut(output),
  };
}

function logOf(host: Host, id: string) {
  const page = host.extensions.logs(id, {});
  const lines = page.ok ? page.value.lines.slice(-LINES_SHOWN) : [];
  return lines.map(({ time, level, message, call_id: call }) => ({ time, level, message: cut(message), call_id: call }));
}

function cut(text: string | null): string | null {
  return text === null || text.length <= TEXT_SHOWN ? text : `${text.slice(0, TEXT_SHOWN)}…`;
}
