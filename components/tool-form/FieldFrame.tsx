'use client';

import { ChevronDown, Ellipsis, X } from 'lucide-react';
import { type ReactNode, useCallback, useContext } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { LongText } from '#components/ui/CodeText.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { cx } from '#components/ui/cx.ts';
import { invisibleIn } from '#components/ui/visible-text.ts';
import type { FieldPlan } from './field-plan.ts';
import { type ControlProps, IssuesContext, fieldIdOf, inShort, useFormView } from './form-view.tsx';
import { isJsonObject, sameJson } from './json-text.ts';
import { canShow } from './payload.ts';

const LONGEST = 160;

function limitsOf({ plan, value, pointer }: Pick<ControlProps, 'plan' | 'value' | 'pointer'>): string | null {
  const parts = [plan.limits, pointer === '' ? null : defaultInWords(plan, value)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

function defaultInWords(plan: FieldPlan, value: unknown): string | null {
  if (plan.defaultValue === null || plan.control === 'choice' || plan.control === 'boolean') return null;
  if (value === undefined && hasPlaceholder(plan) && !inShort(plan.defaultValue.value).endsWith('…')) return null;
  const text = JSON.stringify(plan.defaultValue.value) ?? 'null';
  const words = `default: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`;
  return restOfDefault(plan, value) === null ? words : `${words}, used only while this is empty`;
}

/** Their placeholder shows the default. */
function hasPlaceholder(plan: FieldPlan): boolean {
  return ['text', 'multiline', 'password', 'bytes', 'date', 'time', 'date-time', 'number', 'integer', 'json'].includes(plan.control);
}

/** The value completed from the default, which tools get in full or not at all; null if nothing is missing. */
function restOfDefault(plan: FieldPlan, value: unknown): Readonly<Record<string, unknown>> | null {
  const whole = plan.defaultValue?.value;
  if (!isJsonObject(whole) || !isJsonObject(value)) return null;
  return Object.keys(whole).every((name) => Object.hasOwn(value, name)) ? null : { ...whole, ...value };
}

interface FrameProps {
  readonly control: ControlProps;
  readonly bare: boolean;
  readonly shared: boolean;
  readonly property: string | null;
  readonly condition: string | null;
  readonly children: ReactNode;
}

export function FieldFrame({ control, bare, shared, property, condition, children: field }: FrameProps) {
  const { plan, pointer, name, value, required } = control;
  const leave = useGroupBlur(pointer);
  const id = fieldIdOf(pointer);
  const idle = plan.readOnly && !required && value === undefined;
  const children = idle ? (
    <fieldset disabled className="contents">
      {field}
    </fieldset>
  ) : (
    field
  );
  const group = ['object', 'array', 'tuple', 'union', 'choices'].includes(plan.control) && canShow(plan, value);
  const state = idle ? <span className="ml-auto text-xs text-muted">set by the tool</span> : <FieldState control={control} />;
  const after = (
    <>
      <Words
        id={`${id}-words`}
        description={bare ? null : plan.description}
        limits={limitsOf(control)}
        condition={condition}
        invisible={typeof value === 'string' && !plan.secret ? invisibleIn(value) : []}
      />
      {shared ? null : <Issues pointer={pointer} />}
    </>
  );
  const examples = idle ? null : <Examples control={control} />;
  const isEmpty = value === undefined || value === null || value === '';
  if (bare) {
    return (
      <div className="flex min-w-0 flex-col gap-1">
        {group ? null : (
          <label id={`${id}-label`} htmlFor={id} className="sr-only">
            {name}
          </label>
        )}
        {group ? (
          <div role="group" aria-label={name} ref={leave}>
            {children}
          </div>
        ) : (
          children
        )}
        {plan.nullable && plan.control !== 'choice' && plan.control !== 'union' && plan.control !== 'boolean' ? (
          <div className="flex justify-end">{state}</div>
        ) : null}
        {after}
        {isEmpty ? examples : null}
      </div>
    );
  }
  const words = <NameWords plan={plan} name={name} property={property} required={required} />;
  if (!group) {
    // Beside the name visually, after the control in the tab order.
    return (
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 gap-y-1">
        {plan.control === 'boolean' ? (
          <span id={`${id}-label`} className="min-h-5 text-sm font-medium break-words">
            {words}
          </span>
        ) : (
          <label id={`${id}-label`} htmlFor={id} className="min-h-5 text-sm font-medium break-words">
            {words}
          </label>
        )}
        <div className="col-span-2 row-start-2 flex min-w-0 flex-col gap-1">{children}</div>
        <div className="col-start-2 row-start-1 flex">{state}</div>
        <div className="col-span-2 flex min-w-0 flex-col gap-1 empty:hidden">
          {after}
          {examples}
        </div>
      </div>
    );
  }
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-words ${id}-issues`} ref={leave}>
      <legend id={`${id}-label`} className="sr-only">
        {name}
        {required ? ', required' : ''}
      </legend>
      <div className="flex min-h-5 flex-wrap items-center gap-x-2">
        <span aria-hidden className="text-sm font-medium break-words">
          {words}
        </span>
        {state}
      </div>
      <div className="flex flex-col gap-1 pb-1">
        {after}
        {examples}
      </div>
      <div className={cx(plan.control !== 'union' && 'border-l-2 border-line pl-3')}>{children}</div>
    </fieldset>
  );
}

function NameWords({ plan, name, property, required }: { plan: FieldPlan; name: string; property: string | null; required: boolean }) {
  return (
    <>
      <bdi>{name === '' ? '(empty name)' : name}</bdi>
      {plan.title !== null && property !== null && plan.title !== property ? (
        <code className="ml-2 text-xs font-normal text-muted">
          <bdi>{property}</bdi>
        </code>
      ) : null}
      {required ? <span className="font-normal text-muted"> (required)</span> : null}
      {plan.deprecated ? <Badge className="ml-2 align-middle">deprecated</Badge> : null}
      {plan.readOnly ? <Badge className="ml-2 align-middle">read only</Badge> : null}
    </>
  );
}

interface SendOption {
  readonly words: string;
  readonly value: unknown;
}

/**
 * "Not sent", null, empty and a value differ for a tool. The state is shown beside the name, and states that cannot be typed are
 * chosen here.
 */
function FieldState({ control }: { control: ControlProps }) {
  const { plan, name, pointer, required, value, onChange } = control;
  const { disabled } = useFormView();
  const options = sendOptionsOf(plan, value, required);
  // Invalid input is not "not sent".
  const isWrong = useContext(IssuesContext).has(pointer);
  const known = stateWord(plan, value, required);
  const word = known === 'not sent' && isWrong ? 'cannot be sent' : known;
  const [only] = options;
  if (only === undefined) return word === null ? null : <span className="ml-auto text-xs text-muted">{word}</span>;
  if (options.length === 1 && only.value === undefined) {
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
          <X className="size-3.5!" />
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
            className="inline-flex h-6 min-w-6 items-center justify-center gap-1 rounded-sm px-1 text-xs text-muted hover:bg-hover hover:text-fg pointer-coarse:h-8"
          >
            {word ?? <Ellipsis className="size-3.5" />}
            {word === null ? null : <ChevronDown className="size-3" />}
          </button>
        }
      >
        {options.map((option) => (
          <MenuItem key={option.words} onSelect={() => onChange(option.value)}>
            {option.words}
          </MenuItem>
        ))}
      </DropdownMenu>
    </span>
  );
}

function stateWord(plan: FieldPlan, value: unknown, required: boolean): string | null {
  if (value === null) return showsState(plan) && (plan.nullable || plan.choices.some((choice) => choice.value === null)) ? null : 'null';
  if (value === '') return 'empty text';
  if (Array.isArray(value) && value.length === 0) return 'empty list';
  const isObject = plan.control === 'object' || plan.control === 'union';
  if (!required && isObject && typeof value === 'object' && Object.keys(value).length === 0) return 'empty object';
  if (value !== undefined || required || showsState(plan)) return null;
  return 'not sent';
}

/** The control itself shows "not sent". */
function showsState(plan: FieldPlan): boolean {
  return plan.control === 'choice' || plan.control === 'boolean' || plan.control === 'union';
}

function sendOptionsOf(plan: FieldPlan, value: unknown, required: boolean): readonly SendOption[] {
  if (plan.control === 'choice' || plan.control === 'boolean') return [];
  const options: SendOption[] = [];
  const text = ['text', 'multiline', 'password', 'bytes'].includes(plan.control);
  if (value === undefined && plan.defaultValue !== null)
    options.push({ words: `Fill in the default: ${inShort(plan.defaultValue.value)}`, value: plan.defaultValue.value });
  const whole = restOfDefault(plan, value);
  if (whole !== null) options.push({ words: 'Fill in the rest of the default', value: whole });
  if (plan.control === 'union') return options;
  if (text && plan.emptyText && value !== '') options.push({ words: 'Send empty text', value: '' });
  if ((plan.control === 'array' || plan.control === 'choices') && (value === undefined || value === null))
    options.push({ words: 'Send an empty list', value: [] });
  if (plan.control === 'object' && (value === undefined || value === null)) options.push({ words: 'Send an empty object', value: {} });
  if (plan.nullable && value !== null) options.push({ words: 'Send null', value: null });
  if (value !== undefined && (!required || value === null || value === '')) options.push({ words: 'Do not send', value: undefined });
  return options;
}

const LONG = 320;

interface WordsProps {
  id: string;
  description: string | null;
  limits: string | null;
  condition: string | null;
  /** Invisible characters of the value: `U+202E`. */
  invisible: readonly string[];
}

/** Untrusted text: shown as plain text with code in backticks, truncated. */
function Words({ id, description, limits, condition, invisible }: WordsProps) {
  return (
    <div id={id} className="flex flex-col text-xs text-muted empty:hidden">
      {description === null ? null : <LongText text={description} max={LONG} />}
      {limits === null ? null : <p className="tabular">{limits.charAt(0).toUpperCase() + limits.slice(1)}</p>}
      {condition === null ? null : <p className="foreign">{condition}</p>}
      {invisible.length === 0 ? null : <p className="font-medium text-degraded">Contains invisible characters: {invisible.join(', ')}</p>}
    </div>
  );
}

/** Filled in on click, never sent automatically. */
function Examples({ control }: { control: ControlProps }) {
  const { plan, value, onChange, name } = control;
  const { disabled } = useFormView();
  if (plan.examples.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-1 text-xs text-muted">
      For example
      {plan.examples.map((example) => (
        <button
          key={JSON.stringify(example)}
          type="button"
          disabled={disabled || sameJson(example, value)}
          aria-label={`Fill in ${name}: ${inShort(example)}`}
          onClick={() => onChange(example)}
          className="min-h-6 max-w-full truncate rounded-sm border bg-panel px-1 font-mono text-fg hover:bg-hover disabled:opacity-60 pointer-coarse:min-h-8"
        >
          {inShort(example)}
        </button>
      ))}
    </p>
  );
}

export function Issues({ pointer }: { pointer: string }) {
  const wrong = useContext(IssuesContext).get(pointer) ?? [];
  return (
    <div id={`${fieldIdOf(pointer)}-issues`} className="empty:hidden">
      {wrong.map((message) => (
        <p key={message} className="foreign text-xs font-medium text-failed">
          {message}
        </p>
      ))}
    </div>
  );
}

function useGroupBlur(pointer: string): (element: HTMLElement | null) => (() => void) | undefined {
  const { onVisit } = useFormView();
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const left = ({ relatedTarget }: FocusEvent) => {
        if (!(relatedTarget instanceof Node) || !element.contains(relatedTarget)) onVisit(pointer);
      };
      element.addEventListener('focusout', left);
      return () => element.removeEventListener('focusout', left);
    },
    [pointer, onVisit],
  );
}
