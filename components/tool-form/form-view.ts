'use client';

import { createContext, useContext } from 'react';
import type { Path } from './edit-payload.ts';
import type { IssueMap } from './issues.ts';

/** What the fields of a form share. It stays the same while a person types, so that only the field he types in is drawn anew. */
export interface FormView {
  readonly disabled: boolean;
  /** Puts a value at a place of the payload; undefined takes it away. */
  readonly onEdit: (path: Path, value: unknown) => void;
  /** The person has left a field. */
  readonly onVisit: (pointer: string) => void;
  /** The person is at a field, typing what is no value yet. */
  readonly onTouch: (pointer: string) => void;
  /** A field holds text that is no value yet, or (null) no longer does. */
  readonly onUnsendable: (pointer: string, problem: string | null) => void;
  /** A choice stands open, so that nothing inside of it has a field yet: what to say there. Null once it is made. */
  readonly onUnchosen: (pointer: string, asked: string | null) => void;
}

export const FormViewContext = createContext<FormView>({
  disabled: false,
  onEdit: () => undefined,
  onVisit: () => undefined,
  onTouch: () => undefined,
  onUnsendable: () => undefined,
  onUnchosen: () => undefined,
});

/** What is shown as wrong, by JSON Pointer. */
export const IssuesContext = createContext<IssueMap>(new Map());

export function useFormView(): FormView {
  return useContext(FormViewContext);
}

/** The id of the control that edits what a pointer names; safe inside id lists whatever the names are. */
export function fieldIdOf(pointer: string): string {
  return `arg${pointer.replaceAll(/[^A-Za-z0-9]/g, (char) => `_${char.codePointAt(0)?.toString(16) ?? ''}_`)}`;
}

export interface ControlNames {
  readonly id: string;
  readonly 'data-path': string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean | undefined;
}

/** What ties a control to its label, its words and the part of the arguments it edits. */
export function useControlNames(pointer: string): ControlNames {
  const issues = useContext(IssuesContext);
  const id = fieldIdOf(pointer);
  return { id, 'data-path': pointer, 'aria-describedby': `${id}-words ${id}-issues`, 'aria-invalid': issues.has(pointer) || undefined };
}
