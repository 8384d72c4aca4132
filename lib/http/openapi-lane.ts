import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Principal } from '#lib/access/principal.ts';
import { visibleTools } from '#lib/access/visible-tools.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { openApiDocument } from './openapi.ts';
import { API_HEADERS } from './security-headers.ts';

const manifestSchema = z.object({ version: z.string() });

/**
 * `GET /api/v1/openapi.json`. Made when it is asked for, and kept for as long as the tools are the same; for a token that is
 * made for some tools with these only, and kept as long as that token is known.
 */
export interface OpenApiLane {
  answer(request: IncomingMessage, response: ServerResponse, tools: readonly Tool[], principal: Principal): void;
}

interface Kept {
  readonly tools: readonly Tool[];
  readonly bytes: Buffer;
}

const WHOLE = {};

export function createOpenApiLane(): OpenApiLane {
  const kept = new WeakMap<object, Kept>();
  let version: string | null = null;

  const bytesFor = (whose: object, tools: readonly Tool[]): Buffer => {
    version ??= manifestSchema.parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;
    const known = kept.get(whose);
    if (known !== undefined && areSame(known.tools, tools)) return known.bytes;
    const bytes = Buffer.from(JSON.stringify(openApiDocument({ version, tools })));
    kept.set(whose, { tools, bytes });
    return bytes;
  };

  return {
    answer(request, response, tools, principal) {
      const whose = principal.kind === 'token' ? (principal.tools ?? WHOLE) : WHOLE;
      const bytes = bytesFor(whose, visibleTools(principal, tools));
      response.writeHead(200, { ...API_HEADERS, 'content-type': 'application/json', 'content-length': bytes.length });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    },
  };
}

/** A snapshot keeps a tool that did not change. */
function areSame(before: readonly Tool[], now: readonly Tool[]): boolean {
  return before.length === now.length && before.every((tool, at) => tool === now[at]);
}
