import autocannon from 'autocannon';

/**
 * Sends one request over and over on kept connections, in a process of its own, and prints what came back as one line of
 * JSON: `{ perSecond, latencies, wrong }`. Latencies are in milliseconds, in fractions, which autocannon's own table rounds away.
 */
const [url, connections, seconds, body, expected, headers = '{}'] = process.argv.slice(2);
const latencies = [];
let wrong = 0;
const began = performance.now();
const run = autocannon({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json', ...JSON.parse(headers) },
  body,
  connections: Number(connections),
  duration: Number(seconds),
  verifyBody: (text) => String(text).includes(expected),
});
run.on('response', (_client, status, _bytes, latency) => {
  if (status === 200) latencies.push(latency);
  else wrong += 1;
});
const result = await run;
const took = (performance.now() - began) / 1_000;
const keptEvery = Math.max(1, Math.ceil(latencies.length / 20_000));
process.stdout.write(
  `${JSON.stringify({
    perSecond: latencies.length / took,
    latencies: latencies.filter((_, at) => at % keptEvery === 0).map((latency) => Math.round(latency * 1_000) / 1_000),
    wrong: wrong + result.errors + result.timeouts + result.mismatches,
  })}\n`,
);
