import { z } from 'zod';

/** RFC 9457: what a refused request is answered with. `code` is one of `PROBLEMS`. */
export const problemDocumentSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  /** What does not fit, each with the JSON Pointer of the field. */
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
