import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Tool } from '#lib/contract/tool.ts';
import { openApiDocument } from './openapi.ts';
import { API_HEADERS } from './security-headers.ts';

const manifestSchema = z.object({ version: z.string() });

/** `GET /api/v1/openapi.json`. Made when it is asked for, and kept for as long as the tools are the same. */
export interface OpenApiLane {
  answer(request: IncomingMessage, response: ServerResponse, tools: readonly Tool[]): void;
}

export function createOpenApiLane(): OpenApiLane {
  let kept: { readonly tools: readonly Tool[]; readonly bytes: Buffer } | null = null;
  let version: string | null = null;

  return {
    answer(request, response, tools) {
      version ??= manifestSchema.parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;
      if (kept === null || !areSame(kept.tools, tools)) {
        kept = { tools, bytes: Buffer.from(JSON.stringify(openApiDocument({ version, tools }))) };
      }
      response.writeHead(200, { ...API_HEADERS, 'content-type': 'application/json', 'content-length': kept.bytes.length });
      response.end(request.method === 'HEAD' ? undefined : kept.bytes);
    },
  };
}

/** A snapshot keeps a tool that did not change. */
function areSame(before: readonly Tool[], now: readonly Tool[]): boolean {
  return before.length === now.length && before.every((tool, at) => tool === now[at]);
}
