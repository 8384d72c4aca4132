import { ok } from '#lib/contract/result.ts';
import { putSecretSchema, secretListSchema, secretSchema } from '#lib/contract/secrets.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'secrets', parameter: 'The name of the secret.' });

export const secretRoutes = [
  route('GET /api/v1/secrets', 'secrets.read', 'listSecrets', {
    summary: 'Names of the secrets, with their uses and times of change, never with values. Also missing secrets that extensions name.',
    response: named('SecretList', secretListSchema),
    handle: ({ host }) => ok(host.secrets.list()),
  }),
  route('PUT /api/v1/secrets/:name', 'secrets.write', 'putSecret', {
    summary: 'Set a secret. Responds when the extensions that use it are loaded or have failed.',
    body: named('PutSecret', putSecretSchema),
    response: named('Secret', secretSchema),
    problems: ['resource_name_invalid', 'state_conflict'],
    replaces: ({ host, parameter }) => host.secrets.list().secrets.some(({ name }) => name === parameter),
    handle: ({ host, parameter, body, requester }) => host.secrets.put(parameter, body.value, requester.actor),
  }),
  route('DELETE /api/v1/secrets/:name', 'secrets.write', 'removeSecret', {
    summary: 'Delete a secret. Extensions that use it stop serving.',
    response: secretSchema,
    problems: ['resource_name_invalid', 'secret_not_found'],
    handle: ({ host, parameter, requester }) => host.secrets.remove(parameter, requester.actor),
  }),
];
