import type { Client, LoggingLevel } from '@modelcontextprotocol/client';
import type { LogLevel } from '#lib/contract/call.ts';
import type { LogWriter } from './console-capture.ts';

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
export function logServerMessages(client: Client, writer: LogWriter, currentCall: () => number): void {
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, logger, data } = params;
    const name = logger === undefined ? '' : `${logger}: `;
    if (typeof data === 'string') writer.write(currentCall(), LEVELS[level], `${name}${data}`);
    else writer.write(currentCall(), LEVELS[level], `${name}${JSON.stringify(data)}`);
  });
}
