'use client';

import { createContext, useContext } from 'react';
import type { ReactNode } from 'react';
import type { FieldProps } from './controls.ts';

/** How controls that have fields of their own show these: handed down by the form, as the modules would else import each other. */
export const FieldContext = createContext<(props: FieldProps) => ReactNode>(() => null);

export function NestedField(props: FieldProps) {
  return useContext(FieldContext)(props);
}
