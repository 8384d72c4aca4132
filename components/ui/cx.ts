import { clsx } from 'clsx';
import type { ClassValue } from 'clsx';
import { twMerge } from 'tailwind-merge';

/** Joins class names; later classes override earlier ones, so a caller can override a primitive. */
export function cx(...classes: ClassValue[]): string {
  return twMerge(clsx(classes));
}
