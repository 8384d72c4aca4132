import { clsx } from 'clsx';
import type { ClassValue } from 'clsx';
import { mergeClasses } from './merge-classes.ts';

/** Joins class names; of two that set the same thing the later one wins, so a caller can override a primitive. */
export function cx(...classes: ClassValue[]): string {
  return mergeClasses(clsx(classes));
}
