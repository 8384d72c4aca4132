import { z } from 'zod';

/** RFC 9457 problem document. `code` is one of `PROBLEMS`. */
export const problemDocumentSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  /** Validation errors with the JSON Pointer of the field. */
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
