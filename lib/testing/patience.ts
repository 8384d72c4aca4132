import { vi } from 'vitest';

/** Timeouts only end tests that hang: on a busy machine everything takes many times as long. */
const LEAST_MS = 60_000;

type Limit = number | { readonly timeout?: number; readonly interval?: number };

const patient = (given: Limit = {}): { timeout: number; interval?: number } => {
  const options = typeof given === 'number' ? { timeout: given } : given;
  return { ...options, timeout: Math.max(options.timeout ?? 0, LEAST_MS) };
};

const { waitFor, waitUntil } = vi;
vi.waitFor = (check, options) => waitFor(check, patient(options));
vi.waitUntil = (check, options) => waitUntil(check, patient(options));
