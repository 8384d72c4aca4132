import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { PayloadEditor, ToolExamples } from './PayloadEditor.tsx';
import { planForm } from './form-plan.ts';
import { readText } from './use-payload.ts';

afterEach(cleanup);

const FORM = planForm({ type: 'object', properties: { password: { type: 'string' }, city: { type: 'string' } } });

function Page({ first }: { first: string }) {
  const [input, setInput] = useState(() => readText(first, {}));
  const nothing = () => undefined;
  const state = {
    ...input,
    setText: (text: string) => setInput(readText(text, input.payload)),
    setPayload: nothing,
    replace: nothing,
    restore: null,
    dropText: nothing,
    isUntouched: false,
    isReading: false,
  };
  return <PayloadEditor state={state} form={FORM} target={{ tool: 'greet', parameters: [] }} issues={new Map()} />;
}

const text = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'As JSON' });

it('masks a secret recognized by its name until it is revealed', () => {
  render(<Page first='{"password": "hunter2", "city": "Oslo"}' />);
  expect(text().value).toContain('Oslo');
  expect(text().value).not.toContain('hunter2');
  fireEvent.click(screen.getByRole('button', { name: 'Show the secrets and edit' }));
  expect(text().value).toContain('hunter2');
});

it('shows a secret while it is typed, and masks it afterwards', () => {
  render(<Page first="{}" />);
  fireEvent.change(text(), { target: { value: '{"password": "h"}' } });
  expect(text().value).toContain('"h"');
  fireEvent.blur(text());
  expect(text().value).not.toContain('"h"');
});

afterEach(cleanup);

it("fills in the author's examples, and ignores invalid ones", () => {
  const onFill = vi.fn<(example: object) => void>();
  render(<ToolExamples examples={[{ to: 6 }, 'no arguments', { to: 20 }]} payload={{ to: 6 }} disabled={false} onFill={onFill} />);
  expect(screen.getAllByRole('button')).toHaveLength(2);
  expect(screen.getByRole('button', { name: 'Fill in the example {"to":6}' })).toHaveProperty('disabled', true);
  fireEvent.click(screen.getByRole('button', { name: 'Fill in the example {"to":20}' }));
  expect(onFill).toHaveBeenCalledExactlyOnceWith({ to: 20 });
});
