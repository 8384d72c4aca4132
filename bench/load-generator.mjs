import { connect } from 'node:net';

/**
 * Repeats one request on keep-alive connections in a separate process, and prints the results as one line of JSON:
 * `{ perSecond, latencies, wrong }`, latencies in milliseconds. It shares the processors with the measured server, so it does as
 * little as possible: the request is serialized once, and of a response it reads only the status, the length and the expected
 * text. A general HTTP client needed more than twice the processor time per request.
 */
const [target, connections, seconds, body, expected, headers = '{}'] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(target);
const request = Buffer.from(
  [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    ...Object.entries({ 'content-type': 'application/json', ...JSON.parse(headers) }).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n'),
);
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';
const ANSWER_MOST_MS = 10_000;

const latencies = [];
let wrong = 0;
let isOver = false;

const began = performance.now();
setTimeout(() => (isOver = true), Number(seconds) * 1_000);
await Promise.all(Array.from({ length: Number(connections) }, repeatRequests));
const took = (performance.now() - began) / 1_000;
const keptEvery = Math.max(1, Math.ceil(latencies.length / 20_000));
process.stdout.write(
  `${JSON.stringify({
    perSecond: latencies.length / took,
    latencies: latencies.filter((_, at) => at % keptEvery === 0).map((latency) => Math.round(latency * 1_000) / 1_000),
    wrong,
  })}\n`,
);

/** One connection with sequential requests; a connection that ends or times out before its response counts as wrong. */
function repeatRequests() {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sentAt = 0;
    let answer = '';
    const ask = () => {
      answer = '';
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setTimeout(ANSWER_MOST_MS, () => socket.destroy());
    socket.on('connect', ask);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (sentAt !== null) wrong += 1;
      resolve();
    });
    socket.on('data', (chunk) => {
      answer += chunk.latin1Slice();
      if (!isComplete(answer)) return;
      if (answer.startsWith('HTTP/1.1 200 ') && answer.includes(expected)) latencies.push(performance.now() - sentAt);
      else wrong += 1;
      if (!isOver) return ask();
      sentAt = null;
      socket.destroy();
    });
  });
}

function isComplete(answer) {
  const head = answer.indexOf(HEAD_END);
  if (head === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer)?.[1];
  return length === undefined ? answer.endsWith(LAST_CHUNK) : answer.length >= head + HEAD_END.length + Number(length);
}
