import { visibleTools } from '#lib/access/principal.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { answerJson } from '../answer.ts';
import { openApiDocument } from '../openapi.ts';
import type { ApiRequest } from '../request.ts';
import { type Route, routesOf } from '../route.ts';
import program from '../../../package.json' with { type: 'json' };

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

/** Cached as long as the tools are the same; for a token with selected tools, as long as the token is known. */
const documents = new WeakMap<object, { readonly tools: readonly Tool[]; readonly text: string }>();
const EVERYBODY = {};

function answerOpenApi({ host, principal }: ApiRequest, routes: readonly Route[]): Response {
  const whose = principal.kind === 'token' ? (principal.tools ?? EVERYBODY) : EVERYBODY;
  const tools = visibleTools(principal, host.tools.list().tools);
  const known = documents.get(whose);
  // A snapshot reuses the object of an unchanged tool.
  if (known !== undefined && known.tools.length === tools.length && known.tools.every((tool, at) => tool === tools[at]))
    return answerJson(200, known.text);
  const text = JSON.stringify(openApiDocument({ version: program.version, tools, routes }));
  documents.set(whose, { tools, text });
  return answerJson(200, text);
}
