'use client';

// The package's front door also loads its test tools, and with them a second ajv.
import Form from '@rjsf/core/lib/components/Form.js';
import type { RegistryFieldsType, RJSFSchema, TemplatesType, ValidatorType } from '@rjsf/utils';
import { useCallback, useMemo } from 'react';
import { ArrayItemTemplate, ArrayTemplate } from './ArrayTemplate.tsx';
import { FieldFrame } from './FieldFrame.tsx';
import { FormViewContext } from './form-view.ts';
import type { FormView } from './form-view.ts';
import { isJsonObject } from './json-text.ts';
import { LeafField } from './LeafField.tsx';
import { ObjectTemplate } from './ObjectTemplate.tsx';
import { tidyPayload } from './payload.ts';
import type { Payload } from './payload.ts';
import { withoutPointer } from './pointer.ts';

/*
 * react-jsonschema-form walks the schema and moves values about; every pixel and every word is ours. It is kept from
 * having ideas about values: the schema it gets (form-plan.ts) has no defaults and no unions, it fills in nothing, and
 * it checks nothing: the payload is checked against the tool's own schema in a worker.
 */
const FIELDS: RegistryFieldsType<unknown, RJSFSchema> = {
  StringField: LeafField,
  NumberField: LeafField,
  BooleanField: LeafField,
  NullField: LeafField,
  FallbackField: LeafField,
};

const TEMPLATES: Partial<TemplatesType<unknown, RJSFSchema>> = {
  FieldTemplate: FieldFrame,
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ArrayItemTemplate,
};

const VALIDATOR: ValidatorType<unknown, RJSFSchema> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => true,
  rawValidation: () => ({}),
};

const NOTHING_BY_ITSELF = {
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  allOf: 'skipDefaults',
  constAsDefaults: 'never',
} as const;
const NO_BUTTON = { 'ui:submitButtonOptions': { norender: true } };

export interface ToolFormProps extends Omit<FormView, 'onRemove'> {
  /** From planForm. */
  readonly form: RJSFSchema;
  readonly payload: Payload;
  readonly onChange: (payload: Payload) => void;
}

/** The arguments of a tool as fields. What is not in `payload` is not sent. */
export function ToolForm({ form, payload, onChange, issues, disabled, onVisit, onUnsendable }: ToolFormProps) {
  const remove = useCallback(
    (pointer: string) => {
      const without = withoutPointer(payload, pointer);
      if (isJsonObject(without)) onChange(without);
    },
    [payload, onChange],
  );
  const view = useMemo<FormView>(
    () => ({ issues, disabled, onVisit, onUnsendable, onRemove: remove }),
    [issues, disabled, onVisit, onUnsendable, remove],
  );
  return (
    <FormViewContext value={view}>
      <fieldset disabled={disabled} className="min-w-0">
        <legend className="sr-only">Arguments</legend>
        <Form<unknown>
          tagName="div"
          schema={form}
          uiSchema={NO_BUTTON}
          formData={payload}
          validator={VALIDATOR}
          fields={FIELDS}
          templates={TEMPLATES}
          noValidate
          noHtml5Validate
          showErrorList={false}
          experimental_defaultFormStateBehavior={NOTHING_BY_ITSELF}
          onChange={({ formData }) => onChange(tidyPayload(formData, payload, form))}
        />
      </fieldset>
    </FormViewContext>
  );
}
