import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { PROTOCOL_VERSION } from '../messages.ts';
import { OWNER_MARK } from '../owner-mark.ts';
import { serverProgramSchema } from '../server-program.ts';
import { createLogWriter } from './console-capture.ts';
import { expandVariables } from './expand-variables.ts';
import { createHostLink } from './host-link.ts';
import { startServer } from './connected-server.ts';
import { replaceStandardStreams } from './standard-streams.ts';
import { messageOf } from './message-of.ts';
import { cutMessage } from './thrown.ts';
import { createSchemaCompiler } from './validators.ts';
import { tellWarm } from './warm.ts';
import type { FailureReport, HostMessage, LoadMessage } from '../messages.ts';
import type { ConnectedServer } from './connected-server.ts';
import type { Client, LoggingLevel } from '@modelcontextprotocol/client';
import type { LogLevel } from '#lib/contract/call.ts';
import type { LogWriter } from './console-capture.ts';

/**
 * What runs in the process of an MCP server's extension: it connects to the server and answers the host as any other
 * extension's process does. Whatever the server sends (schemas, results, nonsense) is opened here, never in the host.
 * When the connection ends this process ends, and the host's rules for a process that ended hold for the server too.
 */
// The official client reads messages by this, wherever they come from, and takes no other reader.
JSON.parse = parseExactJson as typeof JSON.parse;
const link = createHostLink((header, payload) => handle(header, payload));
const writer = createLogWriter(link, fileURLToPath(import.meta.url));
const LEAVE_MS = 50;
/** Less than the host waits before it ends the group. */
const STOP_MS = 400;
let server: ConnectedServer | null = null;
let described = false;
let stopping = false;

replaceStandardStreams();
process.on('uncaughtException', (error) => writer.write(0, 'error', messageOf(error)));
process.on('unhandledRejection', (error) => writer.write(0, 'error', messageOf(error)));
/** The server is told in the same moment, and may use the time to end in its own way. */
process.once('SIGTERM', () => {
  stopping = true;
  setTimeout(() => process.exit(0), STOP_MS);
});
link.send({ type: 'hello', protocolVersion: PROTOCOL_VERSION });
tellWarm();

let toolsText: string | null = null;

function handle(header: Readonly<Record<string, unknown>>, payload: Buffer): void {
  const message = header as unknown as HostMessage;
  switch (message.type) {
    case 'load':
      load(message).catch((error: unknown) => fail({ code: 'mcp_error', message: cutMessage(messageOf(error)) }));
      return;
    case 'tools':
      toolsText = payload.toString('utf8');
      becomeReady();
      return;
    default:
      server?.handle(message, payload);
  }
}

async function load(message: LoadMessage): Promise<void> {
  const program = serverProgramSchema.parse(JSON.parse(readFileSync(message.program, 'utf8')));
  const variables = { ...message.environment, WORKSPACE_ROOT: message.workspaceRoot };
  const expanded = expandVariables(program.connection, variables, program.subject);
  if (!expanded.ok) return fail(expanded.failure);
  const outcome = await startServer({
    settings: expanded.connection,
    subject: program.subject,
    folder: program.folder,
    environment: { ...message.environment, ...ownerMark() },
    maxLineBytes: Math.max(message.maxResultBytes, LIMITS.resultBytes) * 2,
    prefix: program.prefix,
    timeoutMs: program.timeoutMs,
    warnings: [...program.warnings, ...expanded.warnings],
    link,
    // What is absent means something to a server, and its default may be `null`: that clears.
    compiler: createSchemaCompiler({ fillsDefaults: false }),
    maxResultBytes: message.maxResultBytes,
    onStrayLine: (line) => process.stdout.write(`${line}\n`),
    warn: (words) => writer.write(0, 'warn', words),
    onEnd: leave,
    onClient: (client) => logServerMessages(client, writer, () => server?.calls.onlyCall() ?? 0),
  });
  if (!outcome.ok) return fail(outcome.failure);
  server = outcome.server;
  if (message.describe) server.describe();
  else described = true;
  becomeReady();
}

/** The server and all it starts bear the mark of this process, so that what is left of them is found. */
function ownerMark(): Readonly<Record<string, string>> {
  const mark = process.env[OWNER_MARK];
  return mark === undefined ? {} : { [OWNER_MARK]: mark };
}

/** A description that the host has from an earlier run is compared with what the server offers now, once calls can be taken. */
function becomeReady(): void {
  if (server === null || toolsText === null) return;
  server.setTools(toolsText);
  toolsText = null;
  link.send({ type: 'ready' });
  if (described) server.describe();
  described = false;
  // The host listens to another description only now.
  server.follow();
}

/** The answers to calls that end with the connection go first. */
function leave(how: string, exitCode: number | null = 1): void {
  if (!stopping) writer.write(0, 'error', how);
  setTimeout(() => process.exit(exitCode ?? 1), LEAVE_MS);
}

function fail(report: FailureReport): void {
  link.send({ type: 'failed' }, JSON.stringify(report));
}

const LEVELS: Readonly<Record<LoggingLevel, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** The server's log messages as log lines. MCP does not say which call they belong to; while one runs alone they are its own. */
function logServerMessages(client: Client, writer: LogWriter, currentCall: () => number): void {
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, logger, data } = params;
    const name = logger === undefined ? '' : `${logger}: `;
    if (typeof data === 'string') writer.write(currentCall(), LEVELS[level], `${name}${data}`);
    else writer.write(currentCall(), LEVELS[level], `${name}${JSON.stringify(data)}`);
  });
}
