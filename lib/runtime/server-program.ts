import * as z from 'zod';

/**
 * One validated entry of an `mcp.json`, with `${VARIABLES}` unresolved: their values exist only in the server's environment and are
 * never stored. The loader writes it beside the other programs; the connecting process reads it.
 */
export const serverProgramSchema = z.object({
  extension: z.string(),
  /** Absolute; the folder of the file, and the base of a relative `cwd`. */
  folder: z.string(),
  /** The path of the entry in the file. */
  subject: z.array(z.string()),
  /** Prepended to the name of every tool. */
  prefix: z.string(),
  /** Who signs in at a server that requires it. Programs of earlier versions lack it. */
  auth: z.enum(['server', 'member']).default('server'),
  /** Timeout of its calls; null if the entry has none. Programs of earlier versions lack it. */
  timeoutMs: z.number().nullable().default(null),
  /** Whether its process is kept without calls; null if the entry does not say. Programs of earlier versions lack it. */
  keepAlive: z.boolean().nullable().default(null),
  connection: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('stdio'),
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
      cwd: z.string().nullable(),
    }),
    z.object({
      type: z.literal('http'),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      /** The entry says that it uses HTTP+SSE; otherwise this is detected. Programs of earlier versions lack it. */
      isSse: z.boolean().default(false),
    }),
  ]),
  warnings: z.array(z.string()),
});
export type ServerProgram = z.infer<typeof serverProgramSchema>;
export type ServerConnectionSettings = ServerProgram['connection'];
