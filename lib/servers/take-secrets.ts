import { secretTextsIn } from '#lib/contract/secret-texts.ts';
import type { ServerConfig } from '#lib/contract/servers.ts';
import { secretNameOf } from './read-clients.ts';

/** Replaces credentials in an entry by `${secret:NAME}`. */
export interface TakenSecrets {
  readonly config: ServerConfig;
  /** By name. */
  readonly values: ReadonlyMap<string, string>;
}

export interface TakeSecretsOptions {
  readonly server: string;
  /** Which texts of a variable or header are secret; the value itself if all of it is. */
  secretsOf(name: string, value: string): readonly string[];
  /** Whether this name can have this value: it is free, or has this value already. */
  isFree(name: string, value: string): boolean;
}

export function takeSecrets(config: ServerConfig, { server, secretsOf, isFree }: TakeSecretsOptions): TakenSecrets {
  const values = new Map<string, string>();
  const before = secretNameOf(server);

  /** The placeholder of a value. `wanted` is preferred as name, then with the name of the server. */
  const store = (wanted: string, value: string): string => {
    const names = [wanted, `${before}_${wanted}`.slice(0, 60)];
    for (let number = 2; number < 1_000; number += 1) names.push(`${before.slice(0, 28)}_${wanted.slice(0, 28)}_${number}`);
    const name = names.find((one) => (values.has(one) ? values.get(one) === value : isFree(one, value))) ?? wanted;
    values.set(name, value);
    return `\${secret:${name}}`;
  };

  const inTexts = (text: string, wanted: string, secrets: readonly string[]): string =>
    secrets
      .filter((secret) => secret !== '' && !secret.includes('${'))
      .toSorted((one, other) => other.length - one.length)
      .reduce((changed, secret) => (changed.includes(secret) ? changed.replaceAll(secret, store(wanted, secret)) : changed), text);

  const members = (fields: unknown, wantedOf: (name: string) => string): Record<string, unknown> | undefined => {
    if (!isFields(fields)) return undefined;
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        if (typeof value !== 'string' || value.includes('${')) return [name, value];
        const scheme = /^(Bearer|Basic|Token|ApiKey) (\S+)$/i.exec(value);
        if (scheme !== null) return [name, `${scheme[1]} ${store(wantedOf(name), scheme[2] ?? '')}`];
        const secrets = secretsOf(name, value);
        return [name, secrets.includes(value) ? store(wantedOf(name), value) : inTexts(value, wantedOf(name), secrets)];
      }),
    );
  };

  const { env, headers, args, url } = config;
  const changed = {
    ...config,
    ...(env === undefined ? {} : { env: members(env, secretNameOf) ?? env }),
    ...(headers === undefined
      ? {}
      : {
          headers:
            members(headers, (name) => (/^authorization$/i.test(name) ? `${before}_TOKEN` : `${before}_${secretNameOf(name)}`)) ?? headers,
        }),
    ...(Array.isArray(args)
      ? {
          args: args.map((arg: unknown, at) => {
            if (typeof arg !== 'string') return arg;
            const previous: unknown = args[at - 1];
            const pair = typeof previous === 'string' ? `${previous} ${arg}` : arg;
            return inTexts(arg, `${before}_ARGUMENT`, [
              ...secretTextsIn(arg),
              ...secretTextsIn(pair).filter((secret) => arg.endsWith(secret)),
            ]);
          }),
        }
      : {}),
    ...(typeof url === 'string' ? { url: inTexts(url, `${before}_TOKEN`, secretTextsIn(url)) } : {}),
  };
  return { config: changed, values };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
