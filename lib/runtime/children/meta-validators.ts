import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv';

/**
 * Whether a schema is a schema. Compiling the meta-schemas takes some 50 ms, which every process would pay before its
 * first tool: so the bundle of the child program holds this module compiled ahead (child-program.ts puts that in its
 * place), and what stands here runs where there is no bundle.
 */
export interface MetaValidator {
  (schema: unknown): boolean;
  errors?: null | ErrorObject[];
}

export const META_OPTIONS = { strict: false, allErrors: true, verbose: true, validateFormats: false, logger: false } as const;
export const DRAFT_2020_ID = 'https://json-schema.org/draft/2020-12/schema';
export const DRAFT_07_ID = 'http://json-schema.org/draft-07/schema';

let draft2020: MetaValidator | null = null;
let draft07: MetaValidator | null = null;

/** Validators for draft 2020-12 and draft-07; their `errors` are those of the last schema. */
export function metaValidators(): { readonly draft2020: MetaValidator; readonly draft07: MetaValidator } {
  draft2020 ??= getSchema(new Ajv2020(META_OPTIONS), DRAFT_2020_ID);
  draft07 ??= getSchema(new Ajv(META_OPTIONS), DRAFT_07_ID);
  return { draft2020, draft07 };
}

function getSchema(ajv: Ajv, id: string): MetaValidator {
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`ajv does not hold the meta-schema ${id}`);
  const check: MetaValidator = (schema) => {
    const isValid = validate(schema) === true;
    check.errors = validate.errors ?? null;
    return isValid;
  };
  return check;
}
