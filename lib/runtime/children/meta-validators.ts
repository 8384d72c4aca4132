import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * Validates schemas against their meta-schemas. Compiling those takes about 50 ms, which every process would pay before its first
 * tool. So the bundle contains this module precompiled (child-program.ts replaces it); this version runs only unbundled.
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

/** Validators for draft 2020-12 and draft-07; `errors` are those of the last schema. */
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
