import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { keys } from './queries.ts';
import { readQuery, request } from './request.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Resources and prompts of an MCP server. Its lists are invalidated with the extension; reads happen on request. */

const features = () => import('#lib/contract/server-features.ts');
const signIn = () => import('#lib/contract/servers.ts');
const SHAPES_OF_SERVERS = {
  signIn: async () => (await signIn()).serverSignInSchema,
  signInBegun: async () => (await signIn()).signInBegunSchema,
  features: async () => (await features()).serverFeaturesSchema,
  contents: async () => (await features()).resourceReadViewSchema,
  messages: async () => (await features()).promptMessagesViewSchema,
  completion: async () => (await features()).completionViewSchema,
};

export function serverFeaturesQuery(id: string) {
  return readQuery([...keys.extension(id), 'mcp'], API.serverFeatures(id), SHAPES_OF_SERVERS.features);
}

/** Invalidated with the extension; whether it is needed follows from its failure. */
export function serverSignInQuery(id: string) {
  return queryOptions({
    queryKey: [...keys.extension(id), 'sign-in'],
    queryFn: ({ signal }) => request(API.serverSignIn(id), SHAPES_OF_SERVERS.signIn, { signal }),
    retry: false,
  });
}

export function useBeginSignIn(id: string) {
  return useServerMutation({
    mutationFn: () => request(API.serverSignIn(id), SHAPES_OF_SERVERS.signInBegun, { method: 'POST', admin: true, body: {} }),
  });
}

export function useEndSignIn(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: () => request(API.serverSignIn(id), SHAPES_OF_SERVERS.signIn, { method: 'DELETE', admin: true }),
    onSuccess: (state) => client.setQueryData(serverSignInQuery(id).queryKey, state),
  });
}

export interface ReadResource {
  readonly uri: string;
  /** With variables the address is a template. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** For the app of a tool. */
export function readServerResource(id: string, uri: string) {
  return request(API.readServerResource(id), SHAPES_OF_SERVERS.contents, { method: 'POST', body: { uri } });
}

export function useReadResource(id: string) {
  return useServerMutation({
    mutationFn: (body: ReadResource) => request(API.readServerResource(id), SHAPES_OF_SERVERS.contents, { method: 'POST', body }),
  });
}

export function useGetPrompt(id: string, name: string) {
  return useServerMutation({
    mutationFn: (args: Readonly<Record<string, string>>) =>
      request(API.getServerPrompt(id), SHAPES_OF_SERVERS.messages, { method: 'POST', body: { name, arguments: args } }),
  });
}

export type CompletionRef =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

const SUGGESTED_MS = 30_000;

/** Suggestions for one argument, given the values of the others. */
export function completionQuery(id: string, ref: CompletionRef, name: string, values: Readonly<Record<string, string>>) {
  const { [name]: value = '', ...others } = values;
  const body = { ref, argument: { name, value }, context: { arguments: others } };
  return queryOptions({
    queryKey: ['completion', id, body],
    queryFn: ({ signal }) => request(API.completeServerArgument(id), SHAPES_OF_SERVERS.completion, { method: 'POST', body, signal }),
    placeholderData: keepPreviousData,
    staleTime: SUGGESTED_MS,
    retry: false,
  });
}
