import { createApiClient } from './api-client.ts';
import { createExtensionFolder } from './extension-folder.ts';
import { median, ms, quantile } from './figures.ts';
import type { Section } from './report.ts';
import { answersOk, startProduct, wait } from './servers.ts';

/**
 * Response times while many extensions with costly schemas load. Requests are sent at a fixed rate.
 */

const LOADED = 28;
const HEALTH_EVERY_MS = 20;
const CALL_EVERY_MS = 100;
const TARGET_MS = 250;
const GIVE_UP_MS = 180_000;
const CALLED = 'add_while_others_load';

/** They compile in 0.7, 2.5 and 8 s on an idle processor; the last one reaches the time or memory limit. */
const SCHEMAS = [wideSchema(990), repeatedSchema(20), repeatedSchema(60), repeatedSchema(200)];

export async function measureLoads(): Promise<Section> {
  const folder = await createExtensionFolder(0);
  await folder.save('called', hostileText(CALLED, { type: 'object' }));
  const server = await startProduct(folder.path);
  try {
    await answersOk(server, '/readyz');
    await answersOk(server, '/');
    const client = createApiClient(server);
    await client.call(CALLED, {});
    const left = new Set(Array.from({ length: LOADED }, (_, at) => `hostile_${at}`));
    const { promise: allEnded, resolve, reject } = Promise.withResolvers<void>();
    await client.listen(({ type, extension }) => {
      if (type === 'extension.loaded' || type === 'extension.failed') left.delete(extension ?? '');
      if (left.size === 0) resolve();
    });
    await wait(1_000);

    const timer = setTimeout(() => reject(new Error(`No event for ${[...left].join(', ')}`)), GIVE_UP_MS);
    const began = performance.now();
    await Promise.all([...left].map((id, at) => folder.save(id, hostileText(id, SCHEMAS[at % SCHEMAS.length] ?? {}))));
    const health = askEvery(HEALTH_EVERY_MS, () => client.get('/healthz'));
    const calls = askEvery(CALL_EVERY_MS, async () => {
      const { call } = await client.call(CALLED, {});
      if (call?.status !== 'succeeded') throw new Error(`A call did not succeed: ${JSON.stringify(call)}`);
    });
    await allEnded;
    const took = performance.now() - began;
    clearTimeout(timer);
    const [healthMs, callMs] = [await health.stop(), await calls.stop()];
    client.close();

    const row = (title: string, samples: readonly number[]): string[] => [
      title,
      String(samples.length),
      ms(median(samples)),
      ms(quantile(samples, 0.99)),
      ms(Math.max(...samples)),
    ];
    const p99 = quantile(healthMs, 0.99);
    return {
      title: 'Calls while many extensions load',
      method: `${LOADED} extensions are saved at once into the folder of a running server. Their schemas are within the limits and take between 0.7 s and forever to compile. Until all have loaded or failed (${(took / 1_000).toFixed(0)} s), \`/healthz\` is requested every ${HEALTH_EVERY_MS} ms, and a tool of another extension is called every ${CALL_EVERY_MS} ms.`,
      tables: [{ head: ['', 'requests', 'p50', 'p99', 'max'], rows: [row('/healthz', healthMs), row('a call', callMs)] }],
      targets: [{ target: `/healthz, p99 ≤ ${TARGET_MS} ms`, found: ms(p99), isMet: p99 <= TARGET_MS }],
    };
  } finally {
    await server.end();
    await folder.remove();
  }
}

/** @returns durations of all requests in milliseconds */
function askEvery(everyMs: number, ask: () => Promise<unknown>): { stop(): Promise<readonly number[]> } {
  const asked: Promise<number>[] = [];
  const timer = setInterval(() => {
    const began = performance.now();
    asked.push(ask().then(() => performance.now() - began));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Promise.all(asked);
    },
  };
}

function hostileText(name: string, parameters: object): string {
  return `export const TOOL = {
  label: 'Benchmark',
  name: '${name}',
  description: 'Answers at once.',
  parameters: ${JSON.stringify(parameters)},
  execute: () => 'answered',
};
`;
}

function wideSchema(count: number): object {
  return { type: 'object', properties: properties(count, (at) => ({ type: 'string', pattern: `^a{${at}}$` })) };
}

/** The compiler inlines every reference. */
function repeatedSchema(count: number): object {
  return {
    type: 'object',
    properties: properties(count, () => ({ $ref: '#/$defs/repeated' })),
    $defs: { repeated: { type: 'object', properties: properties(300, (at) => ({ type: 'string', maxLength: at })) } },
  };
}

function properties(count: number, schemaOf: (at: number) => object): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schemaOf(at)]));
}
