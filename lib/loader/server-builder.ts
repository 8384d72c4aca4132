import { createHash } from 'node:crypto';
import { join, relative, resolve, sep } from 'node:path';
import { secretsIn } from '#lib/contract/secrets.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { ServerProgram } from '#lib/runtime/server-program.ts';
import { isObject } from '#lib/schema/json-value.ts';
import { artifactOf, type Builder, type BuilderOptions, type BuildOutcome, type Candidate } from './build.ts';
import { parseJsonSource } from './json-source.ts';
import { readServerEntry } from './server-entry.ts';
import { SERVERS_KEY } from './scan-servers.ts';
import { encodingFault } from './source-encoding.ts';
import { createSourceReader } from './source-reader.ts';
import type { SourceReader } from './source-reader.ts';
import { writeAtomically } from './write-atomically.ts';

/** Increased when the program file changes its format. */
const FORMAT = 1;

/**
 * Stores the entry of one MCP server as a program file. Its source is the entry, the `.env` beside it, and the
 * arguments that are files in the same folder; so a change in a file with many servers restarts only the changed one.
 */
export function createServerBuilder({ extensionsDir, artifactsDir, environments }: BuilderOptions): Builder {
  async function build(candidate: Candidate): Promise<BuildOutcome> {
    const { id, entryFile, folder } = candidate;
    const envFile = join(folder, '.env');
    const reader = createSourceReader(extensionsDir, envFile);
    const [env, file] = await Promise.all([reader.read(envFile), reader.read(entryFile)]);
    const missing = !env.ok && env.reason === 'absent' ? [envFile] : [];
    const isOneOfMany = folder === extensionsDir;
    const failed = (failure: RawFailure, more: readonly string[] = [], contentHash?: string): BuildOutcome => ({
      ok: false,
      failure: { file: entryFile, ...failure },
      contentHash: contentHash ?? reader.hash(`server ${FORMAT} ${id}`),
      inputs: reader.inputs(),
      sources: reader.sources(),
      missing: [...missing, ...more],
    });
    if (!env.ok && env.reason === 'unreadable') return failed({ code: 'unreadable', message: env.message, file: envFile });
    if (!file.ok) return failed({ code: 'unreadable', message: file.message }, [entryFile]);
    const fault = encodingFault(entryFile, file.bytes);
    if (fault !== null) return failed(fault);
    const parsed = parseJsonSource(new TextDecoder().decode(file.bytes));
    if (!parsed.ok) return failed(parsed.failure);
    const subject = isOneOfMany ? [SERVERS_KEY, id] : [];
    const value = isOneOfMany ? (entryOf(parsed.value, id) ?? null) : parsed.value;
    const entry = readServerEntry(id, value, subject);
    if (!entry.ok) return failed(entry.failure, [], hashOf([FORMAT, id, value]));
    const program: ServerProgram = { ...entry.program, folder, subject };
    const own = isOneOfMany ? [] : await readArguments(program, reader);
    const declared: string[] = [];
    const found = await environments?.find(candidate, async (path) => {
      const read = await reader.read(path);
      if (read.ok && path !== entryFile) declared.push(new TextDecoder().decode(read.bytes));
      return read;
    });
    missing.push(...(found?.missing ?? []));
    const dependencies = declared.length === 0 ? [] : [...declared, found?.salt ?? ''];
    const contentHash = hashOf([FORMAT, id, value, env.ok ? new TextDecoder().decode(env.bytes) : null, own, ...dependencies]);
    if (found !== undefined && found.failure !== null) return failed(found.failure, [], contentHash);
    const programFile = join(artifactsDir, contentHash, 'server.json');
    const isNew = await writeAtomically(programFile, JSON.stringify(program));
    return {
      ok: true,
      isNew,
      artifact: artifactOf(candidate, { contentHash, programFile, secrets: secretsIn(JSON.stringify(program.connection)) }, found),
      inputs: reader.inputs(),
      // In a file with many servers, only this one's entry is its source.
      sources: isOneOfMany ? { [`mcp.json (${id})`]: JSON.stringify(value, null, 2) } : reader.sources(),
      missing,
      uses: [],
      packages: found?.environment?.packages ?? null,
    };
  }

  return { build, isOwn: (programFile) => programFile.startsWith(join(artifactsDir, sep)), close: async () => undefined };
}

function entryOf(list: unknown, id: string): unknown {
  const servers = isObject(list) ? list[SERVERS_KEY] : undefined;
  return isObject(servers) && Object.hasOwn(servers, id) ? servers[id] : undefined;
}

/** Servers whose code is beside their `mcp.json` restart when it is saved. */
async function readArguments({ connection, folder }: ServerProgram, reader: SourceReader): Promise<readonly string[]> {
  if (connection.type !== 'stdio') return [];
  const base = resolve(folder, connection.cwd ?? '.');
  const found: string[] = [];
  for (const arg of connection.args) {
    const file = resolve(base, arg);
    const inside = relative(folder, file);
    if (inside === '' || inside.startsWith('..') || resolve(inside) === inside) continue;
    const read = await reader.read(file);
    if (read.ok) found.push(`${inside} ${createHash('sha256').update(read.bytes).digest('hex')}`);
  }
  return found;
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
