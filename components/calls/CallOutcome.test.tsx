import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { CallError } from '#lib/contract/call.ts';
import { runningCallRecord } from '#lib/testing/api-records.ts';
import { CallErrorView, CallOutcome } from './CallOutcome.tsx';

afterEach(cleanup);

function show(error: CallError) {
  render(<CallErrorView error={error} fileParts={['a']} />);
}

it('copies the message of an error as plain text', () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  show({ kind: 'execution_error', message: '\u001B[31mNo such city.\u001B[0m' });
  fireEvent.click(screen.getByRole('button', { name: 'Copy the message' }));
  expect(writeText).toHaveBeenCalledWith('No such city.');
});

it('truncates a very long message, and shows all of it on request', () => {
  show({ kind: 'execution_error', message: `${'long '.repeat(1_000)}end` });
  expect(screen.queryByText(/end$/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Show all 5,003 characters' }));
  expect(screen.getByText(/end$/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show less' }));
  expect(screen.queryByText(/end$/)).toBeNull();
});

it('shows each issue once', () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const issues = [{ path: '/city', keyword: 'required', message: 'is required, but it is missing' }];
  show({ kind: 'invalid_parameters', message: 'The arguments are invalid: /city is required, but it is missing.', issues });
  expect(screen.getAllByText(/is required, but it is missing/)).toHaveLength(1);
  expect(screen.getByText('Invalid arguments')).toBeTruthy();
  expect(screen.queryByText('The arguments are invalid:')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Copy the message' }));
  expect(writeText).toHaveBeenLastCalledWith('The arguments are invalid:\n- /city: is required, but it is missing');
});

it('shows the hint for a timeout or a crash once, with setting names as code', () => {
  show({ kind: 'timeout', message: 'The tool did not answer within 1,500 ms. If it needs longer, raise `timeout_ms` of the call.' });
  expect(screen.getByText('timeout_ms').tagName).toBe('CODE');
  expect(screen.queryByText(/Raise the timeout/)).toBeNull();
  cleanup();
  show({ kind: 'extension_crashed', message: 'The process ended. The next call restarts it, unless it stopped 3 times within 5 minutes.' });
  expect(screen.getAllByText(/The next call restarts it/)).toHaveLength(1);
});

it('says that a call waits for an answer while a question is open', () => {
  const question = { id: 'q1', method: 'elicitation/create' as const, params: { message: 'Which city?' } };
  render(<CallOutcome call={runningCallRecord({ questions: [question] })} />);
  expect(screen.getByText('Waiting for your answer')).toBeTruthy();
  expect(screen.queryByText(/You can leave this page/)).toBeNull();
});
