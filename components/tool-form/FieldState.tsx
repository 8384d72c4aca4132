'use client';

import { ChevronDown, Ellipsis, X } from 'lucide-react';
import { useContext } from 'react';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { inShort } from './controls.ts';
import type { ControlProps } from './controls.ts';
import type { FieldPlan } from './field-plan.ts';
import { IssuesContext, useFormView } from './form-view.ts';
import { restOfDefault } from './limits-of.ts';

interface Way {
  readonly words: string;
  readonly value: unknown;
}

/**
 * Not sent, null, empty and a value are four things to a tool. Which of them holds stands beside the name of the field,
 * and what typing cannot express is chosen here.
 */
export function FieldState({ control }: { control: ControlProps }) {
  const { plan, name, pointer, required, value, onChange } = control;
  const { disabled } = useFormView();
  const ways = waysOf(plan, value, required);
  // What was typed and cannot be sent is not the same as nothing.
  const isWrong = useContext(IssuesContext).has(pointer);
  const known = stateWord(plan, value, required);
  const word = known === 'not sent' && isWrong ? 'cannot be sent' : known;
  const [only] = ways;
  if (only === undefined) return word === null ? null : <span className="ml-auto text-xs text-muted">{word}</span>;
  if (ways.length === 1 && only.value === undefined) {
    return (
      <span className="-my-1 ml-auto inline-flex items-center gap-1 text-xs text-muted">
        {word}
        <IconButton
          size="sm"
          label={`Do not send ${name}`}
          disabled={disabled}
          onClick={() => onChange(undefined)}
          className="size-6 text-muted pointer-coarse:min-h-8 pointer-coarse:min-w-8"
        >
          <X aria-hidden className="size-3.5!" />
        </IconButton>
      </span>
    );
  }
  return (
    <span className="-my-1 ml-auto inline-flex">
      <DropdownMenu
        trigger={
          <button
            type="button"
            disabled={disabled}
            aria-label={`How ${name} is sent${word === null ? '' : `: ${word}`}`}
            className="inline-flex h-6 items-center gap-0.5 rounded-sm px-1 text-xs text-muted hover:bg-hover hover:text-fg pointer-coarse:h-8"
          >
            {word ?? <Ellipsis aria-hidden className="size-3.5" />}
            {word === null ? null : <ChevronDown aria-hidden className="size-3" />}
          </button>
        }
      >
        {ways.map((way) => (
          <MenuItem key={way.words} onSelect={() => onChange(way.value)}>
            {way.words}
          </MenuItem>
        ))}
      </DropdownMenu>
    </span>
  );
}

function stateWord(plan: FieldPlan, value: unknown, required: boolean): string | null {
  if (value === null) return saysNull(plan) ? null : 'null';
  if (value === '') return 'empty text';
  if (Array.isArray(value) && value.length === 0) return 'empty list';
  const isObject = plan.control === 'object' || plan.control === 'union';
  if (!required && isObject && typeof value === 'object' && Object.keys(value).length === 0) return 'empty object';
  if (value !== undefined || required || hasOwnWord(plan)) return null;
  return 'not sent';
}

function saysNull(plan: FieldPlan): boolean {
  return hasOwnWord(plan) && (plan.nullable || plan.choices.some((choice) => choice.value === null));
}

/** These say "not sent" in the control itself. */
function hasOwnWord(plan: FieldPlan): boolean {
  return plan.control === 'choice' || plan.control === 'boolean' || plan.control === 'union';
}

function waysOf(plan: FieldPlan, value: unknown, required: boolean): readonly Way[] {
  if (plan.control === 'choice' || plan.control === 'boolean') return [];
  const ways: Way[] = [];
  const text = ['text', 'multiline', 'password', 'bytes'].includes(plan.control);
  if (value === undefined && plan.fallback !== null)
    ways.push({ words: `Fill in the default: ${inShort(plan.fallback.value)}`, value: plan.fallback.value });
  const whole = restOfDefault(plan, value);
  if (whole !== null) ways.push({ words: 'Fill in the rest of the default', value: whole });
  if (plan.control === 'union') return ways;
  if (text && plan.emptyText && value !== '') ways.push({ words: 'Send empty text', value: '' });
  if ((plan.control === 'array' || plan.control === 'choices') && (value === undefined || value === null))
    ways.push({ words: 'Send an empty list', value: [] });
  if (plan.control === 'object' && (value === undefined || value === null)) ways.push({ words: 'Send an empty object', value: {} });
  if (plan.nullable && value !== null) ways.push({ words: 'Send null', value: null });
  if (value !== undefined && (!required || value === null || value === '')) ways.push({ words: 'Do not send', value: undefined });
  return ways;
}
