import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends raw bytes, and reads the response until it is complete or the server closes the connection. */
export function rawRequest(port: number, text: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let received = '';
    const finish = (): void => {
      const answer = parseAnswer(received);
      socket.destroy();
      if (answer === null) reject(new Error(`Not an HTTP answer: ${JSON.stringify(received)}`));
      else resolve(answer);
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
      const answer = parseAnswer(received);
      const length = Number(answer?.headers.get('content-length') ?? Number.NaN);
      if (answer !== null && Buffer.byteLength(answer.body) >= length) finish();
    });
    socket.on('end', finish);
    socket.on('error', reject);
  });
}

/** A request with exactly these header lines. */
export function requestText(method: string, target: string, headers: readonly string[], body = ''): string {
  return [`${method} ${target} HTTP/1.1`, ...headers, '', body].join('\r\n');
}

/** A request to this port; Host and Content-Length are added if missing. */
export function sendRaw(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<RawAnswer> {
  const all = {
    host: `127.0.0.1:${port}`,
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return rawRequest(port, requestText(method, target, lines, body));
}

/** The code of the problem in a response. */
export function problemCode(answer: RawAnswer): unknown {
  const problem: unknown = JSON.parse(answer.body);
  return typeof problem === 'object' && problem !== null ? Reflect.get(problem, 'code') : undefined;
}

function parseAnswer(text: string): RawAnswer | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  if (Number.isNaN(status)) return null;
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  return { status, headers, body: text.slice(end + 4) };
}
