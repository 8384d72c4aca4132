import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import path from 'node:path';
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { createCompressedFiles } from './compressed-files.ts';
import type { Pages } from './http-server.ts';

/**
 * Next behind the authentication middleware, loaded late: importing it blocks the event loop for some hundred milliseconds, in
 * which no tool could be called. Requests for pages wait; if it fails to start they get the reason as a server error.
 */
export interface NextPages extends Pages {
  /** Loads and prepares Next once. Rejects if that fails. */
  start(port: number): Promise<void>;
  close(): Promise<void>;
}

export interface NextPagesOptions {
  readonly dir: string;
  /** The build folder. */
  readonly build: string;
  readonly dev: boolean;
  readonly hostname: string;
}

const builtSchema = z.object({ config: z.record(z.string(), z.unknown()) });

interface Prepared {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
  readonly close: () => Promise<void>;
}

export function createNextPages({ dir, build, dev, hostname }: NextPagesOptions): NextPages {
  const { promise: prepared, resolve, reject } = Promise.withResolvers<Prepared>();
  prepared.catch(() => undefined);
  const files = dev ? null : createCompressedFiles(build);
  let started = false;

  return {
    async start(port) {
      started = true;
      const formatStack: unknown = Reflect.get(Error, 'prepareStackTrace');
      try {
        if (!dev) await setBuiltConfig(build);
        // CommonJS: imported by Node, the module is the function itself.
        const { default: loaded } = await import('next');
        const next = typeof loaded === 'function' ? loaded : loaded.default;
        const app = next({ dev, dir, hostname, port });
        await app.prepare();
        resolve({ handle: app.getRequestHandler(), upgrade: app.getUpgradeHandler(), close: () => app.close() });
      } catch (error) {
        reject(error);
        throw error;
      } finally {
        // Next changes stack traces to bundle positions and maps them only in its own output. The log needs source positions.
        if (!dev) Reflect.set(Error, 'prepareStackTrace', formatStack);
      }
    },
    async handle(request, response) {
      if (files !== null && (await files.answer(request, response))) return;
      await (await prepared).handle(request, response);
    },
    upgrade: dev ? async (request, socket, head) => (await prepared).upgrade(request, socket, head) : null,
    async close() {
      if (started) await prepared.then((next) => next.close()).catch(() => undefined);
    },
  };
}

/** The pages of a server that Next opened: takes its listeners, which answer what passes our checks. */
export function adoptNextPages(server: Server, dev: boolean): NextPages {
  const next = new EventEmitter();
  for (const name of ['request', 'upgrade'])
    for (const listener of server.listeners(name)) {
      next.on(name, (...given) => Reflect.apply(listener, server, given));
      server.removeAllListeners(name);
    }
  return {
    start: async () => undefined,
    handle: async (request, response) => void next.emit('request', request, response),
    upgrade: dev ? async (request, socket, head) => void next.emit('upgrade', request, socket, head) : null,
    close: async () => undefined,
  };
}

/** The configuration that the build stored: an installed package has no next.config.mjs, and no code of Next that reads it. */
async function setBuiltConfig(build: string): Promise<void> {
  const file = path.join(build, 'required-server-files.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`${file} cannot be read. Build the pages again: delete the folder, then run \`npm start\`.`, { cause });
  });
  Reflect.set(process.env, '__NEXT_PRIVATE_STANDALONE_CONFIG', JSON.stringify(builtSchema.parse(JSON.parse(text)).config));
}
