import { z } from 'zod';

/**
 * One MCP server as its entry in an `mcp.json` says it, checked, with `${VARIABLES}` as they are written: what they stand
 * for is known in the server's own environment alone and is never kept. The loader writes it beside the other programs;
 * the process that connects to the server reads it.
 */
export const serverProgramSchema = z.object({
  extension: z.string(),
  /** Absolute; the folder of the file: where a relative `cwd` begins. */
  folder: z.string(),
  /** Where in the file the entry stands. */
  subject: z.array(z.string()),
  /** Put before the name of every tool. */
  prefix: z.string(),
  /** Of a call of its tools; null where the entry does not say. Programs of earlier versions do not know it. */
  timeoutMs: z.number().nullable().default(null),
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
      /** It is said to speak the HTTP+SSE of the protocol's beginnings; else it is found out. Programs of earlier versions do not say. */
      isSse: z.boolean().default(false),
    }),
  ]),
  warnings: z.array(z.string()),
});
export type ServerProgram = z.infer<typeof serverProgramSchema>;
export type ServerConnectionSettings = ServerProgram['connection'];
