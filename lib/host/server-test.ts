import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { secretsIn } from '#lib/contract/secrets.ts';
import type { ServerConfig, ServerTest } from '#lib/contract/servers.ts';
import { FAILURE_CODES } from '#lib/contract/failure-codes.ts';
import { describeServer } from '#lib/loader/describe-server.ts';
import { readServerEntry } from '#lib/loader/server-entry.ts';
import type { Runtime } from '#lib/runtime/runtime.ts';
import type { ServerProgram } from '#lib/runtime/server-program.ts';
import { refuseConfig } from './host-server-list.ts';

const LOG_LINES = 200;

export interface ServerTestOptions {
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
