'use client';

import { createContext, type ReactNode, useContext, useLayoutEffect, useRef } from 'react';
import type { Choice, FieldPlan, FormSchema } from './field-plan.ts';
import type { IssueMap } from './issues.ts';
import { sameJson } from './json-text.ts';
import type { Path } from './payload.ts';

/** `undefined` is "not sent"; a control never invents a value. */
export interface ControlProps {
  readonly plan: FieldPlan;
  readonly pointer: string;
  readonly path: Path;
  readonly name: string;
  readonly value: unknown;
  readonly required: boolean;
  /** An item or entry: it must have a value. */
  readonly isEntry: boolean;
  /** A discriminator that is already shown around it. */
  readonly discriminator: string | null;
  readonly onChange: (value: unknown) => void;
}

export interface FieldProps {
  readonly part: FormSchema;
  readonly path: Path;
  readonly value: unknown;
  readonly required: boolean;
  readonly bare?: boolean;
  /** The field around it has the same pointer and shows its errors. */
  readonly shared?: boolean;
  readonly isEntry?: boolean;
  readonly discriminator?: string | null;
  /** Why it is required, if that depends on other fields. */
  readonly condition?: string | null;
  readonly fallbackTitle?: string;
}

export function inShort(value: unknown): string {
  const text = typeof value === 'string' ? (value === '' ? 'empty text' : value) : (JSON.stringify(value) ?? '');
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

export function labelAmong(choices: readonly Choice[], value: unknown): string {
  return choices.find((choice) => sameJson(choice.value, value))?.label ?? inShort(value);
}

export function emptyWords(plan: FieldPlan): string {
  if (plan.defaultValue !== null) return `default: ${inShort(plan.defaultValue.value).replaceAll(/\s+/g, ' ')}`;
  return plan.placeholder ?? '';
}

/** Stable while a person types, so that only the edited field re-renders. */
export interface FormView {
  readonly disabled: boolean;
  /** `undefined` removes the value. */
  readonly onEdit: (path: Path, value: unknown) => void;
  readonly onVisit: (pointer: string) => void;
  readonly onTouch: (pointer: string) => void;
  /** Text that is not a valid value; null once it is. */
  readonly onUnsendable: (pointer: string, problem: string | null) => void;
  /** An open choice, whose parts have no fields yet; null once chosen. */
  readonly onUnchosen: (pointer: string, message: string | null) => void;
}

export const FormViewContext = createContext<FormView>({
  disabled: false,
  onEdit: () => undefined,
  onVisit: () => undefined,
  onTouch: () => undefined,
  onUnsendable: () => undefined,
  onUnchosen: () => undefined,
});

export const IssuesContext = createContext<IssueMap>(new Map());

export function useFormView(): FormView {
  return useContext(FormViewContext);
}

/** Safe in id lists whatever the names are. */
export function fieldIdOf(pointer: string): string {
  return `arg${pointer.replaceAll(/[^A-Za-z0-9]/g, (char) => `_${char.codePointAt(0)?.toString(16) ?? ''}_`)}`;
}

interface ControlNames {
  readonly id: string;
  readonly 'data-path': string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean | undefined;
}

export function useControlNames(pointer: string): ControlNames {
  const issues = useContext(IssuesContext);
  const id = fieldIdOf(pointer);
  return { id, 'data-path': pointer, 'aria-describedby': `${id}-words ${id}-issues`, 'aria-invalid': issues.has(pointer) || undefined };
}

/** Passed by context: controls contain fields and fields contain controls. */
export const FieldContext = createContext<(props: FieldProps) => ReactNode>(() => null);

export function NestedField(props: FieldProps) {
  return useContext(FieldContext)(props);
}

/**
 * Runs an action after the change is rendered and before the browser handles the next key: a focus that moves a frame later
 * would lose the first typed letters.
 */
export function useAfterRender(): (action: () => void) => void {
  const waiting = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    const action = waiting.current;
    waiting.current = null;
    action?.();
  });
  return (action) => {
    waiting.current = action;
  };
}
