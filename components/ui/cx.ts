import { clsx } from 'clsx';
import type { ClassValue } from 'clsx';
import { twMerge } from 'tailwind-merge';

/** Joins class names; of two that set the same thing the later one wins, so a caller can override a primitive. */
export function cx(...classes: ClassValue[]): string {
  return twMerge(clsx(classes));
}
