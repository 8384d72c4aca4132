import { clsx } from 'clsx';
import type { ClassValue } from 'clsx';
import { mergeClasses } from './merge-classes.ts';

/** Joins class names; later classes override earlier ones, so a caller can override a primitive. */
export function cx(...classes: ClassValue[]): string {
  return mergeClasses(clsx(classes));
}
