import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isValidName, NAME_RULE } from '#lib/contract/names.ts';
import type { ExtensionList } from '#lib/contract/extension.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { secretsIn } from '#lib/contract/secrets.ts';
import {
  CLIENT_NAMES,
  type ExportedServers,
  type ImportedServers,
  type ImportServers,
  type PutServerResult,
  type Server,
  SERVER_CLIENTS,
  serverClientOf,
  type ServerConfig,
  type ServerTest,
} from '#lib/contract/servers.ts';
import { parseJsonSource } from '#lib/loader/json-source.ts';
import { readServerEntry } from '#lib/loader/server-entry.ts';
import { isObject } from '#lib/schema/json-value.ts';
import { readClientServers } from '#lib/servers/read-clients.ts';
import { changeServerFile, changeServerList, writeClientServers, extractSecrets } from '#lib/servers/write-clients.ts';
import { FAILURE_CODES } from '#lib/contract/failure-codes.ts';
import { describeServer } from '#lib/loader/describe-server.ts';
import type { Runtime } from '#lib/runtime/runtime.ts';
import type { ServerProgram } from '#lib/runtime/server-program.ts';
import type { Actor } from './host.ts';
import type { SecretStore } from './host-secrets.ts';
import { secretSettings } from './secret-values.ts';
import type { SourceFiles } from './source-files.ts';

/**
 * The MCP servers in the `mcp.json` files: added, changed, removed, imported and exported. What can go wrong: the file is not JSON
 * (refused, nothing is written), somebody else saved it meanwhile (refused by its hash), the name belongs to another extension.
 */
export interface HostServerList {
  list(): Promise<Result<{ servers: Server[] }>>;
  get(name: string): Promise<Result<Server>>;
  /** Adds or replaces it; resolves once it is loaded or has failed. */
  put(name: string, config: ServerConfig, takesSecrets: boolean, actor: Actor): Promise<Result<PutServerResult>>;
  /** Returns the removed one. */
  remove(name: string, actor: Actor): Promise<Result<Server>>;
  /** Connects and lists; changes nothing. */
  test(config: ServerConfig, signal: AbortSignal): Promise<Result<ServerTest>>;
  import(request: ImportServers, actor: Actor): Promise<Result<ImportedServers>>;
  export(client: string): Promise<Result<ExportedServers>>;
}

export interface HostServerListOptions {
  readonly sources: SourceFiles;
  readonly readOnly: boolean;
  extensions(): ExtensionList;
  readonly secrets: SecretStore;
  test(config: ServerConfig, signal: AbortSignal): Promise<Result<ServerTest>>;
}

const LIST_FILE = 'mcp.json';
const RESERVED = new Set(['tools', 'channels', 'node_modules']);

interface ReadFile {
  /** Null: no such file. */
  readonly text: string | null;
  readonly hash: string | null;
  readonly servers: ReadonlyMap<string, ServerConfig>;
}

export function createHostServerList(options: HostServerListOptions): HostServerList {
  const { sources, secrets } = options;

  async function readFile(file: string): Promise<Result<ReadFile>> {
    const source = await sources.read(file);
    if (!source.ok) return source.problem.code === 'source_not_found' ? ok({ text: null, hash: null, servers: new Map() }) : source;
    const { text, hash } = source.value;
    const parsed = parseJsonSource(text);
    if (!parsed.ok) return refuse('state_conflict', `${file} is not valid: ${parsed.failure.message} Fix it first.`);
    const { value } = parsed;
    const list = file === LIST_FILE ? (isObject(value) ? (value['mcpServers'] ?? {}) : undefined) : { [file.split('/')[0] ?? '']: value };
    if (!isObject(list)) return refuse('state_conflict', `${file} has no object \`mcpServers\`. Fix it first.`);
    const servers = Object.entries(list).filter((entry): entry is [string, ServerConfig] => isObject(entry[1]));
    return ok({ text, hash, servers: new Map(servers) });
  }

  const extension = (name: string) => options.extensions().extensions.find(({ id }) => id === name) ?? null;

  /** The file of an existing server, else the file for new servers. */
  const fileOf = (name: string): string => {
    const known = extension(name);
    return known?.kind === 'mcp' && known.path === `${name}/${LIST_FILE}` ? known.path : LIST_FILE;
  };

  const show = (name: string, file: string, config: ServerConfig): Server => ({ name, file, config, extension: extension(name) });

  async function list(): Promise<Result<{ servers: Server[] }>> {
    const own = options
      .extensions()
      .extensions.filter(({ id, kind, path }) => kind === 'mcp' && path === `${id}/${LIST_FILE}`)
      .map(({ path }) => path);
    const servers: Server[] = [];
    for (const file of [LIST_FILE, ...own]) {
      const read = await readFile(file);
      if (!read.ok) {
        // A broken file of one server is shown as its failure.
        if (file === LIST_FILE) return read;
        continue;
      }
      for (const [name, config] of read.value.servers) servers.push(show(name, file, config));
    }
    return ok({ servers: servers.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
  }

  async function get(name: string): Promise<Result<Server>> {
    const file = fileOf(name);
    const read = await readFile(file);
    if (!read.ok) return read;
    const config = read.value.servers.get(name);
    return config === undefined ? unknown(name) : ok(show(name, file, config));
  }

  const freeSecret =
    (used: ReadonlyMap<string, string>) =>
    (name: string, value: string): boolean => {
      if (used.has(name)) return used.get(name) === value;
      return !secrets.list().some((stored) => stored.name === name) || secrets.valuesOf([name])[name] === value;
    };

  async function storeSecrets(values: ReadonlyMap<string, string>, actor: Actor): Promise<Result<null>> {
    const added = [...values].filter(([name, value]) => secrets.valuesOf([name])[name] !== value);
    if (secrets.list().length + added.length > LIMITS.secrets)
      return refuse(
        'state_conflict',
        `These ${added.length} secrets are too many: there can be ${LIMITS.secrets}. Delete some that are not used.`,
      );
    for (const [name, value] of added) await secrets.put(name, value, actor.name);
    return ok(null);
  }

  const readOnly = (): Result<never> | null =>
    options.readOnly
      ? refuse('source_read_only', 'READ_ONLY_EXTENSIONS is set: servers cannot be changed here. Change mcp.json in its repository.')
      : null;

  return {
    list,
    get,
    test: options.test,

    async put(name, given, takesSecrets, actor) {
      const refusal = readOnly() ?? refuseName(name) ?? refuseConfig(name, given);
      if (refusal !== null) return refusal;
      const known = extension(name);
      if (known !== null && known.kind !== 'mcp')
        return refuse('state_conflict', `“${name}” is an extension of another kind (${known.path}). Choose another name.`);
      const file = fileOf(name);
      const read = await readFile(file);
      if (!read.ok) return read;
      const { text, hash } = read.value;
      const { config, values } = takesSecrets
        ? extractSecrets(given, { server: name, secretsOf, isFree: freeSecret(new Map()) })
        : { config: given, values: new Map<string, string>() };
      const stored = await storeSecrets(values, actor);
      if (!stored.ok) return stored;
      const changed = file === LIST_FILE ? changeServerList(text, { [name]: config }) : changeServerFile(text ?? '', config);
      const written = await sources.writeAll([{ path: file, text: changed, expected_hash: hash }], actor);
      return written.ok ? ok({ ...show(name, file, config), secrets: [...values.keys()] }) : written;
    },

    async remove(name, actor) {
      const refusal = readOnly();
      if (refusal !== null) return refusal;
      const server = await get(name);
      if (!server.ok) return server;
      const { file } = server.value;
      const read = await readFile(file);
      if (!read.ok) return read;
      const { text, hash } = read.value;
      const changed = file === LIST_FILE ? changeServerList(text, { [name]: null }) : null;
      const written = await sources.writeAll([{ path: file, text: changed, expected_hash: hash }], actor);
      return written.ok ? server : written;
    },

    async import({ client: named, text, preview, names }, actor) {
      const client = named === 'auto' ? 'auto' : serverClientOf(named);
      if (client === null) return unknownClient(named);
      const found = readClientServers(client, text);
      if (!found.ok) return refuse('import_invalid', found.reason);
      if (found.servers.length > LIMITS.serversImported)
        return refuse(
          'import_invalid',
          `The text has ${found.servers.length} servers; ${LIMITS.serversImported} can be imported at a time.`,
        );
      const read = await readFile(LIST_FILE);
      if (!read.ok) return read;
      const taken = new Set([...options.extensions().extensions.map(({ id }) => id), ...read.value.servers.keys()]);
      const values = new Map<string, string>();
      const skipped = [...found.skipped];
      const servers: ImportedServers['servers'] = [];
      for (const server of found.servers) {
        const name = uniqueName(server.name, taken);
        const entry = readServerEntry(name, server.config, []);
        if (!entry.ok) {
          skipped.push({ name: server.name, reason: entry.failure.message });
          continue;
        }
        const conflict = taken.has(server.name);
        taken.add(name);
        const isChosen = names?.includes(name) ?? true;
        const isFree = freeSecret(values);
        const { config, values: moved } = extractSecrets(server.config, { server: name, secretsOf, isFree });
        if (isChosen) for (const [secret, value] of moved) values.set(secret, value);
        const used = secretsIn(JSON.stringify(config));
        const missing = used.filter((secret) => !moved.has(secret) && !secrets.has(secret));
        if (isChosen || preview)
          servers.push({
            name,
            original_name: server.name,
            config,
            secrets: [...used],
            missing_secrets: missing,
            conflict,
            warnings: [...server.warnings],
          });
      }
      const result = { client: found.client, servers, skipped };
      if (preview || servers.length === 0) return ok(result);
      const refusal = readOnly();
      if (refusal !== null) return refusal;
      const stored = await storeSecrets(values, actor);
      if (!stored.ok) return stored;
      const changed = changeServerList(read.value.text, Object.fromEntries(servers.map(({ name, config }) => [name, config])));
      const written = await sources.writeAll([{ path: LIST_FILE, text: changed, expected_hash: read.value.hash }], actor);
      return written.ok ? ok(result) : written;
    },

    async export(named) {
      const client = serverClientOf(named);
      if (client === null) return unknownClient(named);
      const found = await list();
      return found.ok ? ok(writeClientServers(client, found.value.servers)) : found;
    },
  };
}

function secretsOf(name: string, value: string): readonly string[] {
  return secretSettings({ [name]: value });
}

/** A valid, unused name similar to the given one. */
function uniqueName(given: string, taken: ReadonlySet<string>): string {
  const plain = given
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, LIMITS.nameLength - 4);
  const named = /^[A-Za-z]/.test(plain) ? plain : plain === '' ? 'server' : `server-${plain}`.slice(0, LIMITS.nameLength - 4);
  const first = RESERVED.has(named) ? `${named}-server` : named;
  const lower = new Set([...taken].map((name) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (!lower.has(name.toLowerCase())) return name;
  }
}

function refuseName(name: string): Result<never> | null {
  if (isValidName(name) && !RESERVED.has(name)) return null;
  const why = RESERVED.has(name) ? 'It is the name of a reserved folder.' : `A name is ${NAME_RULE}.`;
  return refuse('resource_name_invalid', `“${name.slice(0, 80)}” cannot be the name of a server. ${why}`);
}

function refuseConfig(name: string, config: ServerConfig): Result<never> | null {
  const entry = readServerEntry(name, config, []);
  if (entry.ok) return null;
  const { message, hint, subject = [] } = entry.failure;
  return refuse('body_fields_invalid', `config: ${message} ${hint ?? ''}`.trim(), {
    extra: { issues: [{ path: ['', 'config', ...subject].join('/'), message }] },
  });
}

function unknown(name: string): Result<never> {
  return refuse('server_not_found', `Server “${name.slice(0, 80)}” not found in mcp.json. GET /api/v1/servers lists all servers.`);
}

function unknownClient(named: string): Result<never> {
  const all = SERVER_CLIENTS.map((client) => `${client} (${CLIENT_NAMES[client]})`).join(', ');
  return refuse('import_invalid', `“${named.slice(0, 80)}” is not a known client; known are ${all} and auto.`);
}

const LOG_LINES = 200;

interface ServerTestOptions {
  /** The runtime of MCP servers. */
  readonly runtime: Runtime;
  /** Absolute; the base of a relative `cwd`, as in `mcp.json`. */
  readonly extensionsDir: string;
  /** Absolute; for the program file, which is removed afterwards. */
  readonly programsDir: string;
  hideSecrets(text: string): string;
}

/** Starts a server as a load would, with its secrets and variables, and ends it again. */
export function createServerTest({ runtime, extensionsDir, programsDir, hideSecrets }: ServerTestOptions) {
  return async (config: ServerConfig, signal: AbortSignal): Promise<Result<ServerTest>> => {
    const name = 'test';
    const refusal = refuseConfig(name, config);
    const entry = readServerEntry(name, config, []);
    if (refusal !== null || !entry.ok) return refusal ?? ok(failed('field_invalid', 'The entry is invalid.', undefined, [], 0));
    const program: ServerProgram = { ...entry.program, prefix: '', folder: extensionsDir, subject: [] };
    const contentHash = `test-${randomUUID()}`;
    const folder = path.join(programsDir, contentHash);
    const programFile = path.join(folder, 'server.json');
    const log: string[] = [];
    const beganAt = performance.now();
    const took = (): number => Math.round((performance.now() - beganAt) * 10) / 10;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(programFile, JSON.stringify(program), { mode: 0o600 });
      const outcome = await runtime.load(
        {
          extension: name,
          kind: 'mcp',
          runtime: 'mcp',
          contentHash,
          folder: extensionsDir,
          entryFile: path.join(extensionsDir, 'mcp.json'),
          programFile,
          secrets: secretsIn(JSON.stringify(program.connection)),
        },
        {
          signal,
          describe: describeServer,
          onIncident: (incident) => {
            if (incident.type === 'log' && log.length < LOG_LINES) log.push(hideSecrets(incident.line.message));
          },
        },
      );
      const ms = took();
      if (!outcome.ok) {
        const { code, message, hint, output } = outcome.failure;
        return ok(
          failed(code, hideSecrets(message), hint, log.length > 0 || output === undefined ? log : hideSecrets(output).split('\n'), ms),
        );
      }
      const { description } = outcome.extension;
      await outcome.extension.close(0);
      return ok({
        ok: true,
        duration_ms: ms,
        server: description.name,
        tools: description.tools.map((tool) => ({ name: tool.name, description: tool.description })),
        resources: (description.features?.resources.length ?? 0) + (description.features?.resource_templates.length ?? 0),
        prompts: description.features?.prompts.length ?? 0,
        instructions: description.instructions,
        warnings: [...description.warnings],
        log,
        failure: null,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

function failed(
  code: keyof typeof FAILURE_CODES,
  message: string,
  hint: string | undefined,
  log: readonly string[],
  ms: number,
): ServerTest {
  return {
    ok: false,
    duration_ms: ms,
    server: null,
    tools: [],
    resources: 0,
    prompts: 0,
    instructions: '',
    warnings: [],
    log: log.slice(0, LOG_LINES),
    failure: { code, message, hint: hint ?? FAILURE_CODES[code].hint },
  };
}
