import { LIMITS } from '#lib/contract/limits.ts';

/** Seconds as they were typed, in milliseconds; null for the tool's own limit. */
export function readTimeout(text: string): { readonly ms: number | null; readonly problem: string | null } {
  const trimmed = text.trim();
  if (trimmed === '') return { ms: null, problem: null };
  const most = LIMITS.callTimeoutMostMs / 1_000;
  const seconds = /^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (Number.isNaN(seconds) || seconds < 0.001 || seconds > most) return { ms: null, problem: `Enter seconds, from 0.001 to ${most}.` };
  return { ms: Math.round(seconds * 1_000), problem: null };
}
