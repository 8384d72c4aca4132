'use client';

import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { hasProblemCode } from './api-problem.ts';
import { useReconnected } from './live-context.ts';

/** A mutation whose connection error is cleared after a reconnect. */
export function useServerMutation<Data, Variables = void, Context = unknown>(
  options: UseMutationOptions<Data, Error, Variables, Context>,
): UseMutationResult<Data, Error, Variables, Context> {
  const mutation = useMutation(options);
  useReconnected(() => {
    if (hasProblemCode(mutation.error, 'offline')) mutation.reset();
  });
  return mutation;
}
