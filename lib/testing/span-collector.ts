import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';

const valueSchema = z.strictObject({
  stringValue: z.string().optional(),
  intValue: z
    .union([z.int(), z.string().regex(/^-?\d+$/)])
    .transform(String)
    .optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const attributesSchema = z
  .array(z.strictObject({ key: z.string(), value: valueSchema }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]])));
const spanSchema = z.strictObject({
  traceId: z.string().regex(/^[\da-f]{32}$/),
  spanId: z.string().regex(/^[\da-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[\da-f]{16}$/)
    .optional(),
  traceState: z.string().optional(),
  flags: z.int(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: attributesSchema,
  ...Object.fromEntries(['Attributes', 'Events', 'Links'].map((name) => [`dropped${name}Count`, z.literal(0)])),
  events: z.tuple([]),
  links: z.tuple([]),
  status: z.strictObject({ code: z.int().optional(), message: z.string().optional() }),
});
/** The JSON form of OTLP, as strict as the protocol. */
const bodySchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: attributesSchema, droppedAttributesCount: z.literal(0) }),
      scopeSpans: z.array(z.strictObject({ scope: z.strictObject({ name: z.string(), version: z.string() }), spans: z.array(spanSchema) })),
    }),
  ),
});
export type CollectedSpan = z.infer<typeof spanSchema>;

export interface SpanCollector {
  /** Endpoint for the program; `/v1/traces` is below it. */
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly resources: Readonly<Record<string, unknown>>[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  /** Responses to the next requests, then 200. `hold`: no response. */
  readonly answers: (number | 'hold' | { readonly status: number; readonly body: string })[];
  close(): Promise<void>;
}

/** An OpenTelemetry collector that stores received spans; returns 400 for an invalid body. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const requests: SpanCollector['requests'] = [];
  const answers: SpanCollector['answers'] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      requests.push({ path: request.url ?? '', headers: request.headers, text });
      const planned = answers.shift() ?? 200;
      if (planned === 'hold') return;
      const { status, body } = typeof planned === 'number' ? { status: planned, body: '{}' } : planned;
      const read = bodySchema.safeParse(JSON.parse(text));
      if (status === 200 && read.success) {
        for (const { resource, scopeSpans } of read.data.resourceSpans) {
          resources.push(resource.attributes);
          for (const scope of scopeSpans) spans.push(...scope.spans);
        }
      }
      response
        .writeHead(read.success ? status : 400, { 'content-type': 'application/json', 'retry-after': new Date(0).toUTCString() })
        .end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the collector has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    resources,
    requests,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
