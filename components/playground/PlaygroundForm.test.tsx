import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react';
import { useMemo } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { READY } from '#components/tool-form/check-messages.ts';
import type { CheckAnswer, CheckQuestion } from '#components/tool-form/check-messages.ts';
import { checkPayload } from '#components/tool-form/check-payload.ts';
import { at, createFiller } from '#components/tool-form/form-for-tests.tsx';
import { planForm } from '#components/tool-form/form-plan.ts';
import { fieldIdOf } from '#components/tool-form/form-view.tsx';
import { usePayload } from '#components/tool-form/use-payload.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { BAD_INPUTS } from '#lib/testing/form-cases/bad-inputs.ts';
import { TOOLS } from '../../e2e/fixtures/forms/extension.ts';
import { PlaygroundForm, useExclusiveAction } from './PlaygroundForm.tsx';

afterEach(cleanup);

/** Validates in this thread instead of a worker. */
class CheckWorker extends EventTarget {
  constructor() {
    super();
    this.#answer({ id: READY, issues: null });
  }
  postMessage(question: CheckQuestion) {
    this.#answer(checkPayload(question));
  }
  terminate() {
    return undefined;
  }
  #answer(data: CheckAnswer) {
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data })));
  }
}

/** A unique name, since drafts are stored by name. */
function renamed(tool: string, name: string): Tool {
  const parameters = { ...TOOLS.find((one) => one.name === tool)?.parameters };
  const nothing = { output_schema: null, annotations: {}, timeout_ms: null, examples: [], warnings: [], unavailable_reason: null };
  return {
    name,
    label: 'Test',
    extension: 'forms',
    runtime: 'node',
    revision: 1,
    description: '',
    parameters,
    available: true,
    ...nothing,
  };
}

function FormOf({ tool }: { tool: Tool }) {
  const form = useMemo(() => planForm(tool.parameters), [tool]);
  const state = usePayload(tool.name, form, null);
  const done = () => undefined;
  const chosen = { timeoutMs: 1_000, timeout: '', redacted: [], last: null, replayOf: null };
  const actions = { onTimeout: done, onForgetReplay: done, onStarted: done };
  return <PlaygroundForm tool={tool} parameters={tool.parameters} form={form} state={state} {...chosen} {...actions} />;
}

it.each(BAD_INPUTS)('reports $what at its field, focuses it, and sends nothing', async ({ what, tool, fill, at: pointer, says }) => {
  vi.stubGlobal('Worker', CheckWorker);
  const send = vi.spyOn(globalThis, 'fetch');
  render(
    <QueryClientProvider client={createQueryClient()}>
      <FormOf tool={renamed(tool, what)} />
    </QueryClientProvider>,
  );
  await fill(createFiller());
  fireEvent.click(screen.getByRole('button', { name: 'Run' }));
  await screen.findByText('One value needs attention:');
  await vi.waitFor(() => expect(at(pointer).contains(document.activeElement)).toBe(true));
  expect(document.querySelector(`#${fieldIdOf(pointer)}-issues`)?.textContent).toMatch(says);
  expect(send).not.toHaveBeenCalled();
});

it('ignores a second press while the first is pending', async () => {
  const { result } = renderHook(useExclusiveAction);
  const done: number[] = [];
  const pending = Promise.withResolvers<void>();
  const { start } = result.current;
  const press = (number: number) =>
    start(async () => {
      await pending.promise;
      done.push(number);
    });
  await act(async () => {
    const first = press(1);
    await press(2);
    pending.resolve();
    await first;
  });
  expect(result.current.isBusy).toBe(false);
  await act(() => press(3));
  expect(done).toEqual([1, 3]);
});
