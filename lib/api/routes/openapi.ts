import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { visibleTools } from '#lib/access/principal.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { answerJson } from '../answer.ts';
import { openApiDocument } from '../openapi.ts';
import type { ApiRequest } from '../request.ts';
import { routesOf } from '../route.ts';
import type { Route } from '../route.ts';

const route = routesOf({ tag: 'server' });

/** @param routes all, including this one */
export function openApiRoute(routes: () => readonly Route[]): Route {
  return route(
    'GET /api/v1/openapi.json',
    'openapi.read',
    'getOpenApi',
    'This document, with each available tool as an operation.',
    { response: { mediaTypes: ['application/json'], description: 'An OpenAPI 3.1 document.' } },
    (request) => answerOpenApi(request, routes()),
  );
}

const manifestSchema = z.object({ version: z.string() });
let programVersion: string | null = null;

/** Cached as long as the tools are the same; for a token with selected tools, as long as the token is known. */
const documents = new WeakMap<object, { readonly tools: readonly Tool[]; readonly text: string }>();
const EVERYBODY = {};

function answerOpenApi({ host, principal }: ApiRequest, routes: readonly Route[]): Response {
  programVersion ??= manifestSchema.parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))).version;
  const whose = principal.kind === 'token' ? (principal.tools ?? EVERYBODY) : EVERYBODY;
  const tools = visibleTools(principal, host.tools.list().tools);
  const known = documents.get(whose);
  // A snapshot reuses the object of an unchanged tool.
  if (known !== undefined && known.tools.length === tools.length && known.tools.every((tool, at) => tool === tools[at]))
    return answerJson(200, known.text);
  const text = JSON.stringify(openApiDocument({ version: programVersion, tools, routes }));
  documents.set(whose, { tools, text });
  return answerJson(200, text);
}
