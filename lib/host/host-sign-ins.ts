import { readFileSync } from 'node:fs';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { ServerSignIn, ServerToken, SignInBegun, TokenAsk } from '#lib/contract/servers.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import { expandVariables } from '#lib/runtime/children/expand-variables.ts';
import { serverProgramSchema } from '#lib/runtime/server-program.ts';
import type { Artifact } from '#lib/runtime/runtime.ts';
import type { ServerSignIns, ServerSignInsOptions } from '#lib/server-auth/server-sign-ins.ts';
import { unknownExtension } from './extension-actions.ts';
import type { Logger } from './logger.ts';

/** Sign-ins at the MCP servers among the extensions. What can go wrong: a server is removed (its sign-ins are revoked). */
export interface HostSignIns {
  /** Whether all callers share one sign-in; then only people who may edit extensions can change it. */
  isShared(id: string): boolean;
  look(id: string, who: SignInPerson): Promise<Result<ServerSignIn>>;
  begin(id: string, who: SignInPerson, callback: string): Promise<Result<SignInBegun>>;
  /** The redirect of an authorization server; resolves to the id of the extension. */
  finish(parameters: URLSearchParams, who: SignInPerson): Promise<Result<string>>;
  remove(id: string, who: SignInPerson): Promise<Result<ServerSignIn>>;
}

export interface SignInPerson {
  /** `local` without accounts. */
  readonly id: string;
  readonly name: string | null;
}

export interface RunningHostSignIns {
  readonly host: HostSignIns;
  /** Artifact of a server that is loaded or may start. */
  notice(artifact: Artifact): void;
  /** For the process of a server. */
  token(artifact: Artifact, ask: TokenAsk): Promise<ServerToken>;
  close(): void;
}

export interface HostSignInsOptions extends ServerSignInsOptions {
  readonly events: Pick<EventLog, 'subscribe'>;
  readonly logger: Logger;
  variablesOf(artifact: Artifact): {
    readonly variables: Readonly<Record<string, string>>;
    readonly secrets: Readonly<Record<string, string>>;
  };
  exists(id: string): boolean;
  /** The code of its failure; null if it has none. */
  failureOf(id: string): string | null;
  reload(id: string, actor: string | null): Promise<unknown>;
}

interface Address {
  readonly url: string;
  readonly auth: 'server' | 'member';
}

export function createHostSignIns(options: HostSignInsOptions): RunningHostSignIns {
  const { repository, logger } = options;
  const artifacts = new Map<string, Artifact>();
  /** URLs of loaded servers that asked for a sign-in, by id: some ask only during a call. */
  const asked = new Map<string, string>();
  let made: Promise<ServerSignIns> | null = null;
  /** The official client is loaded only when a server asks for a sign-in. */
  const signIns = (): Promise<ServerSignIns> =>
    (made ??= import('#lib/server-auth/server-sign-ins.ts').then(({ createServerSignIns }) => createServerSignIns(options)));

  const addressOf = (artifact: Artifact | undefined): Address | null => {
    if (artifact === undefined) return null;
    try {
      const { connection, subject, auth } = serverProgramSchema.parse(JSON.parse(readFileSync(artifact.programFile, 'utf8')));
      const expanded = expandVariables(connection, options.variablesOf(artifact), subject);
      return expanded.ok && expanded.connection.type === 'http' ? { url: expanded.connection.url, auth } : null;
    } catch {
      return null;
    }
  };

  const known = (id: string): Result<Address> => {
    const address = addressOf(artifacts.get(id));
    if (address !== null) return ok(address);
    return options.exists(id)
      ? refuse('state_conflict', 'This extension is not an MCP server at a URL, so nobody can sign in there.')
      : unknownExtension(id);
  };

  const memberOf = ({ auth }: Address, who: SignInPerson): string => (auth === 'member' ? who.id : '');

  const look = async (id: string, who: SignInPerson): Promise<Result<ServerSignIn>> => {
    const address = known(id);
    // A server that Switchboard starts asks for no sign-in.
    if (!address.ok && address.problem.code === 'state_conflict')
      return ok({ auth: 'server', state: 'none', missing_scope: null, problem: null, by: null, since: null });
    if (!address.ok) return address;
    const { auth } = address.value;
    const member = memberOf(address.value, who);
    const state = (await repository.get(id, member)) === null ? null : await (await signIns()).look(id, member);
    const isNeeded =
      options.failureOf(id) === 'server_sign_in_needed' ||
      asked.get(id) === address.value.url ||
      (auth === 'member' && (await repository.ofServer(id)).length > 0);
    return ok({
      auth,
      state: state?.isConnected === true ? 'connected' : isNeeded || state !== null ? 'needed' : 'none',
      missing_scope: state?.missingScope ?? null,
      problem: state?.problem ?? null,
      by: state?.by ?? null,
      since: state?.since === null || state?.since === undefined ? null : new Date(state.since).toISOString(),
    });
  };

  const forget = async (id: string): Promise<void> => {
    artifacts.delete(id);
    asked.delete(id);
    if ((await repository.ofServer(id)).length > 0) await (await signIns()).removeServer(id);
  };
  const unfollow = options.events.subscribe(
    ({ data }) => {
      const { extension } = data;
      if (extension === undefined) return;
      forget(extension).catch((error: unknown) => logger.warn('Could not revoke the sign-ins at a removed server', { extension, error }));
    },
    ['extension.removed'],
  );

  return {
    host: {
      isShared(id) {
        const address = addressOf(artifacts.get(id));
        return address !== null && address.auth !== 'member';
      },
      look,
      async begin(id, who, callback) {
        const address = known(id);
        if (!address.ok) return address;
        const place = { server: id, url: address.value.url, member: memberOf(address.value, who) };
        const begun = await (await signIns()).begin(place, who, callback);
        return begun.ok ? ok({ authorization_url: begun.value }) : begun;
      },
      async finish(parameters, who) {
        const finished = await (await signIns()).finish(parameters, who.id);
        if (!finished.ok) return finished;
        const { server } = finished.value;
        logger.info('Signed in at an MCP server', { extension: server, actor: who.name });
        await options.reload(server, who.name);
        return ok(server);
      },
      async remove(id, who) {
        const address = known(id);
        if (!address.ok) return address;
        const isRemoved = await (await signIns()).remove(id, memberOf(address.value, who));
        // Its process may still have the last token for a moment.
        if (isRemoved) await options.reload(id, who.name);
        const state = await look(id, who);
        return state.ok && isRemoved ? ok({ ...state.value, state: 'needed' }) : state;
      },
    },
    notice: (artifact) => void artifacts.set(artifact.extension, artifact),
    async token(artifact, ask) {
      const address = addressOf(artifact);
      if (address === null) return { token: null, since: null, why: 'Nobody can sign in at this server.' };
      if (address.auth === 'server' && ask.member !== '')
        return { token: null, since: null, why: 'This server has one sign-in for all callers.' };
      if (ask.isRefused === true) asked.set(artifact.extension, address.url);
      if ((await repository.ofServer(artifact.extension)).length === 0) return { token: null, since: null, why: NOT_SIGNED_IN };
      return (await signIns()).token({ server: artifact.extension, url: address.url, member: ask.member }, ask);
    },
    close: unfollow,
  };
}

const NOT_SIGNED_IN = 'The server asks for a sign-in: press Connect on the page of the extension.';
