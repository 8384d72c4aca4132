import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client, LoggingLevel } from '@modelcontextprotocol/client';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { type FailureReport, type HostMessage, type LoadMessage, OWNER_VARIABLE, PROTOCOL_VERSION } from '../messages.ts';
import { serverProgramSchema } from '../server-program.ts';
import { createLogWriter, type LogWriter } from './console-capture.ts';
import { expandVariables } from './expand-variables.ts';
import { createHostLink } from './host-link.ts';
import { type ConnectedServer, startServer } from './connected-server.ts';
import { replaceStandardStreams } from './standard-streams.ts';
import { messageOf } from './inner-errors.ts';
import { createServerTokens } from './server-tokens.ts';
import { truncateMessage } from './thrown.ts';
import { createSchemaCompiler } from './validators.ts';
import { publishWarm } from './warm.ts';

/**
 * The program in the process of an MCP server's extension: connects to the server and answers the host like any other extension
 * process. All data of the server (schemas, results) is parsed here, never in the host. This process ends with the connection, so
 * the host's rules for ended processes apply to the server too.
 */
// The official client parses all messages with this, and accepts no other parser.
JSON.parse = parseExactJson as typeof JSON.parse;
const link = createHostLink((header, payload) => handle(header, payload));
const writer = createLogWriter(link, fileURLToPath(import.meta.url));
const LEAVE_MS = 50;
/** Less than the time until the host ends the group. */
const STOP_MS = 400;
const tokens = createServerTokens(link);
let server: ConnectedServer | null = null;
let described = false;
let stopping = false;

replaceStandardStreams();
process.on('uncaughtException', (error) => writer.write(0, 'error', messageOf(error)));
process.on('unhandledRejection', (error) => writer.write(0, 'error', messageOf(error)));
/** Notifies the server at the same time, so that it can shut down cleanly. */
process.once('SIGTERM', () => {
  stopping = true;
  setTimeout(() => process.exit(0), STOP_MS);
});
link.send({ type: 'hello', protocolVersion: PROTOCOL_VERSION });
publishWarm();

let toolsText: string | null = null;

function handle(header: Readonly<Record<string, unknown>>, payload: Buffer): void {
  const message = header as unknown as HostMessage;
  switch (message.type) {
    case 'load':
      load(message).catch((error: unknown) => fail({ code: 'mcp_error', message: truncateMessage(messageOf(error)) }));
      return;
    case 'tools':
      toolsText = payload.toString('utf8');
      becomeReady();
      return;
    // Also while it connects.
    case 'token':
      return tokens.onToken(message.id, payload);
    default:
      server?.handle(message, payload);
  }
}

async function load(message: LoadMessage): Promise<void> {
  const program = serverProgramSchema.parse(JSON.parse(readFileSync(message.program, 'utf8')));
  const variables = { ...message.environment, WORKSPACE_ROOT: message.workspaceRoot };
  const expanded = expandVariables(program.connection, { variables, secrets: message.secrets ?? {} }, program.subject);
  if (!expanded.ok) return fail(expanded.failure);
  const outcome = await startServer({
    settings: expanded.connection,
    subject: program.subject,
    folder: program.folder,
    environment: { ...message.environment, ...ownerMark() },
    maxLineBytes: Math.max(message.maxResultBytes, LIMITS.resultBytes) * 2,
    prefix: program.prefix,
    isByMember: program.auth === 'member',
    tokens,
    timeoutMs: program.timeoutMs,
    keepAlive: program.keepAlive,
    warnings: [...program.warnings, ...expanded.warnings],
    link,
    // An absent argument means something to a server, and its default may be `null`, which clears a value.
    compiler: createSchemaCompiler({ fillsDefaults: false }),
    maxResultBytes: message.maxResultBytes,
    onStrayLine: (line) => process.stdout.write(`${line}\n`),
    warn: (words) => writer.write(0, 'warn', words),
    onEnd: leave,
    onClient: (client) => logServerMessages(client, writer, () => server?.onlyCall() ?? 0),
  });
  if (!outcome.ok) return fail(outcome.failure);
  server = outcome.server;
  if (message.describe) server.describe();
  else described = true;
  becomeReady();
}

/** Marks the server and its children, so that leftovers are found. */
function ownerMark(): Readonly<Record<string, string>> {
  const mark = process.env[OWNER_VARIABLE];
  return mark === undefined ? {} : { [OWNER_VARIABLE]: mark };
}

/** A description from an earlier run is compared with the server's current one once calls are possible. */
function becomeReady(): void {
  if (server === null || toolsText === null) return;
  server.setTools(toolsText);
  toolsText = null;
  link.send({ type: 'ready' });
  if (described) server.describe();
  described = false;
  // The host accepts another description only from now on.
  server.follow();
}

/** First answers the calls that end with the connection. */
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

/** Writes the server's log messages as log lines. MCP does not link them to calls; while only one runs they belong to it. */
function logServerMessages(client: Client, writer: LogWriter, currentCall: () => number): void {
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, logger, data } = params;
    const name = logger === undefined ? '' : `${logger}: `;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    writer.writeSaid(currentCall(), LEVELS[level], `${name}${text}`, { level, logger, data });
  });
}
