import * as z from 'zod';
import { KEPT_REASONS } from '#lib/contract/extension.ts';
import { iconSchema } from '#lib/contract/mcp-content.ts';
import { serverFeaturesSchema } from '#lib/contract/server-features.ts';
import { annotationsSchema, jsonSchemaSchema } from '#lib/contract/tool.ts';
import type { ExtensionDescription } from '#lib/runtime/runtime.ts';

/**
 * Stored with a revision so that the next start can trust it without a build: its input files, its program and its
 * description. When the format of a description changes, or the same source is described differently, FORMAT is increased and
 * everything is loaded again.
 */
const FORMAT = 3;

const buildRecordSchema = z.object({
  format: z.literal(FORMAT),
  programFile: z.string(),
  /** The extensions folder of the server that built it; null in older records. */
  root: z.string().nullable().default(null),
  /** Names of the secrets it uses; absent in older records. */
  secrets: z.array(z.string()).default([]),
  missing: z.array(z.string()),
  /** Inputs that its process loaded at run time, and the content hash without them; absent in older records. */
  loaded: z.object({ paths: z.array(z.string()), builtHash: z.string().nullable() }).default({ paths: [], builtHash: null }),
  /** The packages it imports, and their versions when it was tried; null in older records. */
  uses: z.array(z.string()).nullable().default(null),
  packages: z.record(z.string(), z.string()).nullable().default(null),
  /** Folder with its installed dependencies; null without one. */
  environment: z.string().nullable().default(null),
  inputs: z.array(z.object({ path: z.string(), size: z.number(), mtimeNs: z.string(), ctimeNs: z.string(), ino: z.string() })),
});
export type BuildRecord = z.infer<typeof buildRecordSchema>;

const descriptionSchema = z.object({
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  hasStatus: z.boolean(),
  channel: z
    .object({ send: z.enum(['message', 'answer']) })
    .nullable()
    .default(null),
  /** Absent in older records. */
  kept: z.enum(KEPT_REASONS).nullable().optional(),
  features: serverFeaturesSchema.optional(),
  icons: z.array(iconSchema).optional(),
  warnings: z.array(z.string()),
  tools: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      description: z.string(),
      parameters: jsonSchemaSchema,
      outputSchema: jsonSchemaSchema.nullable(),
      annotations: annotationsSchema,
      meta: z.record(z.string(), z.unknown()).optional(),
      icons: z.array(iconSchema).optional(),
      isTask: z.boolean().optional(),
      remoteName: z.string().optional(),
      timeoutMs: z.number().nullable(),
      examples: z.array(z.unknown()),
      warnings: z.array(z.string()),
    }),
  ),
});

export function writeBuildRecord(record: Omit<BuildRecord, 'format'>): string {
  return JSON.stringify({ format: FORMAT, ...record });
}

export function readBuildRecord(text: string | null): BuildRecord | null {
  return readAs(buildRecordSchema, text);
}

export function readDescription(text: string | null): ExtensionDescription | null {
  return readAs(descriptionSchema, text);
}

function readAs<Value>(schema: z.ZodType<Value>, text: string | null): Value | null {
  if (text === null) return null;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
