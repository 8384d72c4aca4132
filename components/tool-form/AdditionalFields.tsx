'use client';

import { Plus, X } from 'lucide-react';
import { useContext, useEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { inThousands } from '#components/ui/numbers.ts';
import { fieldIdOf, IssuesContext, NestedField, useAfterRender, useFormView } from './form-view.tsx';
import { fitsPattern } from '#lib/contract/subschemas.ts';
import type { FieldPlan, FormSchema } from './field-plan.ts';
import { partForName, planAt } from './form-plan.ts';
import { useStoredInput, useStoreInput } from './incomplete-input.ts';
import { nameOf, pointerOf } from './issues.ts';
import { sameJson } from './json-text.ts';
import { MAX_FIELDS, type Path, blankItem } from './payload.ts';

interface EntryRow {
  /** Stable across renames, so that the fields keep input and focus. */
  readonly key: number;
  readonly name: string;
  /** Added or renamed here: its name may still be invalid. */
  readonly isOwn: boolean;
}

interface EntryRows {
  readonly rows: readonly EntryRow[];
  readonly add: (name: string) => void;
  readonly rename: (from: string, to: string) => void;
}

interface EntryList {
  readonly rows: readonly EntryRow[];
  readonly next: number;
}

/**
 * Entries in their own order: JavaScript sorts integer-like keys first, and a row that moves while its name is typed loses the
 * focus. Must be notified in the event that changes the object.
 */
function useEntryRows(names: readonly string[]): EntryRows {
  const [state, setState] = useState<EntryList>({ rows: [], next: 0 });
  const current = withNames(state, names);
  if (current !== state) setState(current);
  return {
    rows: current.rows,
    add: (name) => setState({ rows: [...current.rows, { key: current.next, name, isOwn: true }], next: current.next + 1 }),
    rename: (from, to) =>
      setState({ ...current, rows: current.rows.map((row) => (row.name === from ? { ...row, name: to, isOwn: true } : row)) }),
  };
}

/** The same object if nothing changed. */
function withNames(state: EntryList, names: readonly string[]): EntryList {
  const present = new Set(names);
  const known = new Set(state.rows.map((row) => row.name));
  const fresh = names.filter((name) => !known.has(name));
  const left = state.rows.filter((row) => present.has(row.name));
  if (fresh.length === 0 && left.length === state.rows.length) return state;
  return {
    rows: [...left, ...fresh.map((name, index): EntryRow => ({ key: state.next + index, name, isOwn: false }))],
    next: state.next + fresh.length,
  };
}

interface AdditionalFieldsProps {
  readonly plan: FieldPlan;
  readonly path: Path;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export function AdditionalFields({ plan, path, name, value }: AdditionalFieldsProps) {
  const { disabled, onEdit } = useFormView();
  const afterRender = useAfterRender();
  const addButton = useRef<HTMLSpanElement>(null);
  const known = new Set(plan.fields.map((field) => field.name));
  const names = Object.keys(value).filter((each) => !known.has(each));
  // Names of declared properties count as taken.
  const taken = [...new Set([...Object.keys(value), ...known])];
  const entries = useEntryRows(names);
  const { additional } = plan;
  const patterns = additional === null || additional.others !== null ? [] : additional.patterns.map((each) => each.pattern);

  function partOf({ name: each, isOwn }: EntryRow): FormSchema | null {
    return partForName(additional, each) ?? (isOwn || isBeingNamed(additional, each) ? (additional?.patterns[0]?.part ?? null) : null);
  }

  function rename(row: EntryRow, to: string) {
    const from = partOf(row);
    const part = partForName(additional, to) ?? from;
    const renamed = Object.entries(value).map(([each, member]): [string, unknown] => {
      if (each !== row.name) return [each, member];
      const isCompatible = part?.schema === from?.schema || !sameJson(member, blankItem(from));
      return [to, isCompatible ? member : blankItem(part)];
    });
    entries.rename(row.name, to);
    onEdit(path, Object.fromEntries(renamed));
  }

  function add() {
    const name = freshName(taken, patterns);
    afterRender(() => {
      addButton.current?.scrollIntoView({ block: 'nearest' });
      focusName(fieldIdOf(nameOf(pointerOf([...path, name]))));
    });
    entries.add(name);
    onEdit(path, { ...value, [name]: blankItem(partForName(additional, name) ?? additional?.patterns[0]?.part ?? null) });
  }

  return (
    <>
      {entries.rows.slice(0, MAX_FIELDS).map((row) => {
        const each = row.name;
        const part = partOf(row);
        if (part === null) return <Unknown key={row.key} path={[...path, each]} name={each} />;
        const large = ['object', 'array', 'tuple', 'union', 'json'].includes(planAt(part, value[each]).control);
        return (
          <div key={row.key} className="flex min-w-0 flex-wrap items-start gap-2 rounded">
            <NameField path={[...path, each]} name={each} taken={taken} patterns={patterns} onRename={(to) => rename(row, to)} />
            <div className={large ? 'order-last w-full min-w-0 border-l-2 pl-3' : 'min-w-0 flex-1'}>
              <NestedField part={part} path={[...path, each]} value={value[each]} required bare isEntry fallbackTitle={each} />
            </div>
            <IconButton
              label={`Remove ${each}`}
              disabled={disabled}
              onClick={() => onEdit(path, Object.fromEntries(Object.entries(value).filter(([other]) => other !== each)))}
              className={large ? 'ml-auto' : ''}
            >
              <X />
            </IconButton>
          </div>
        );
      })}
      {names.length <= MAX_FIELDS ? null : (
        <p className="text-xs text-muted">{inThousands(names.length - MAX_FIELDS)} more are in the JSON.</p>
      )}
      {patterns.length === 0 ? null : (
        <p className="text-xs text-muted">
          Names fit {patterns.length === 1 ? 'the pattern' : 'one of the patterns'} <code className="break-all">{patterns.join('  ')}</code>
          .
        </p>
      )}
      {valueWords(additional).map((words) => (
        <p key={words} className="foreign text-xs text-muted">
          Each value: {words}
        </p>
      ))}
      {additional === null || names.length >= MAX_FIELDS ? null : (
        <span ref={addButton} className="flex self-start">
          <Button
            size="sm"
            icon={<Plus />}
            disabled={disabled}
            onClick={add}
            aria-label={name === '' ? 'Add a name' : `Add a name to ${name}`}
          >
            Add a name
          </Button>
        </span>
      )}
    </>
  );
}

function focusName(id: string) {
  const field = document.getElementById(id);
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  field.select();
}

function valueWords(additional: FieldPlan['additional']): readonly string[] {
  const parts = [...(additional?.patterns ?? []).map((each) => each.part), additional?.others ?? null].filter((part) => part !== null);
  return [...new Set(parts.map((part) => planAt(part, undefined).description).filter((words) => words !== null))];
}

function freshName(taken: readonly string[], patterns: readonly string[]): string {
  const stem = patterns.map(beginning).find((each) => each !== '') ?? 'name';
  let name = stem;
  for (let count = 2; taken.includes(name); count += 1) name = `${stem}${count}`;
  return name;
}

/** A literal prefix of the pattern as a start for the name. */
function beginning(pattern: string): string {
  return /^\^([A-Za-z0-9_-]+)(?![*+?{])/.exec(pattern)?.[1] ?? '';
}

/** An entry keeps its field while its new name does not match a pattern yet. */
function isBeingNamed(additional: FieldPlan['additional'], name: string): boolean {
  return additional !== null && additional.patterns.length > 0 && /^name\d*$/.test(name);
}

/** A value without a field: from JSON, an older call, or an older schema. */
function Unknown({ path, name }: { path: Path; name: string }) {
  const { disabled, onEdit } = useFormView();
  const at = pointerOf(path);
  const issues = useContext(IssuesContext);
  const wrong = [...(issues.get(nameOf(at)) ?? []), ...(issues.get(at) ?? [])];
  return (
    <div
      id={fieldIdOf(at)}
      data-path={at}
      tabIndex={-1}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded bg-subtle px-3 py-2 text-sm"
    >
      <span className="min-w-0 flex-1">
        <code className="break-all">{name}</code> <span className="text-muted">is in the JSON and has no field here.</span>
        {wrong.map((message) => (
          <span key={message} className="foreign block text-xs font-medium text-failed">
            {message}
          </span>
        ))}
      </span>
      <Button size="sm" variant="quiet" disabled={disabled} onClick={() => onEdit(path, undefined)} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </div>
  );
}

interface NameProps {
  readonly path: Path;
  readonly name: string;
  readonly taken: readonly string[];
  readonly patterns: readonly string[];
  readonly onRename: (to: string) => void;
}

/**
 * Every keystroke renames the entry, so that the shown name is sent. An invalid name stays visible, the entry keeps the
 * previous one, and the run is blocked.
 */
function NameField({ path, name, taken, patterns, onRename }: NameProps) {
  const pointer = nameOf(pointerOf(path));
  const half = useStoredInput(pointer);
  const [typed, setTyped] = useState(half === null ? null : { text: half, instead: name });
  const { disabled, onTouch, onVisit, onUnsendable } = useFormView();
  const text = typed?.instead === name ? typed.text : name;
  const wrong = useContext(IssuesContext).get(pointer) ?? [];
  const problem = problemWith(text, name, taken, patterns);
  const id = fieldIdOf(pointer);

  useStoreInput(pointer, text === name ? null : text);

  useEffect(() => {
    onUnsendable(pointer, problem);
    return () => onUnsendable(pointer, null);
  }, [pointer, problem, onUnsendable]);

  function type(next: string) {
    onTouch(pointer);
    if (isUnavailableName(next, name, taken)) return setTyped({ text: next, instead: name });
    setTyped(null);
    if (next !== name) onRename(next);
  }

  return (
    <span className="flex w-36 max-w-[40%] shrink-0 flex-col gap-1">
      <Input
        id={id}
        data-path={pointer}
        aria-label={`Name of ${name}`}
        aria-invalid={wrong.length > 0 || undefined}
        aria-describedby={`${id}-issues`}
        value={text}
        disabled={disabled}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
        onBlur={() => onVisit(pointer)}
      />
      <span id={`${id}-issues`} className="foreign text-xs font-medium text-failed empty:hidden">
        {wrong.join(' ')}
      </span>
    </span>
  );
}

function isUnavailableName(text: string, name: string, taken: readonly string[]): boolean {
  return text === '__proto__' || (text !== name && taken.includes(text));
}

function problemWith(text: string, name: string, taken: readonly string[], patterns: readonly string[]): string | null {
  if (text === '__proto__') return 'The name "__proto__" is refused by the server. Choose another.';
  if (isUnavailableName(text, name, taken)) return `The name "${text}" is taken. Choose another.`;
  if (patterns.length === 0 || patterns.some((pattern) => fitsPattern(pattern, text) !== false)) return null;
  return `Names here must match ${patterns.length === 1 ? 'the pattern' : 'one of the patterns'} ${patterns.join(', ')}.`;
}
