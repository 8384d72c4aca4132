'use client';

import { Plus, X } from 'lucide-react';
import { useContext, useRef } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { inThousands } from '#components/ui/in-thousands.ts';
import { useAfterRender } from '#components/ui/use-after-render.ts';
import { blankItem } from './edit-payload.ts';
import type { Path } from './edit-payload.ts';
import { useEntryRows } from './entry-rows.ts';
import type { EntryRow } from './entry-rows.ts';
import type { FieldPlan, FormSchema } from './field-plan.ts';
import { partForName, planAt } from './form-plan.ts';
import { fieldIdOf, IssuesContext, useFormView } from './form-view.ts';
import { FIELDS_MOST } from './payload.ts';
import { nameOf, pointerOf } from './pointer.ts';
import { sameJson } from './same-json.ts';
import { NameField } from './NameField.tsx';
import { NestedField } from './NestedField.tsx';

interface Further {
  readonly plan: FieldPlan;
  readonly path: Path;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What an object holds beside its named properties: names that the person chooses, and names that have no place here. */
export function FurtherFields({ plan, path, name, value }: Further) {
  const { disabled, onEdit } = useFormView();
  const afterRender = useAfterRender();
  const adds = useRef<HTMLSpanElement>(null);
  const known = new Set(plan.fields.map((field) => field.name));
  const names = Object.keys(value).filter((each) => !known.has(each));
  // A name that has a field of its own is not to be had either: what is being typed would jump there.
  const taken = [...new Set([...Object.keys(value), ...known])];
  const entries = useEntryRows(names);
  const { further } = plan;
  const patterns = further === null || further.others !== null ? [] : further.patterns.map((each) => each.pattern);

  function partOf({ name: each, isOwn }: EntryRow): FormSchema | null {
    return partForName(further, each) ?? (isOwn || isBeingNamed(further, each) ? (further?.patterns[0]?.part ?? null) : null);
  }

  function rename(row: EntryRow, to: string) {
    const from = partOf(row);
    const part = partForName(further, to) ?? from;
    const renamed = Object.entries(value).map(([each, member]): [string, unknown] => {
      if (each !== row.name) return [each, member];
      const kept = part?.schema === from?.schema || !sameJson(member, blankItem(from));
      return [to, kept ? member : blankItem(part)];
    });
    entries.rename(row.name, to);
    onEdit(path, Object.fromEntries(renamed));
  }

  function add() {
    const name = freshName(taken, patterns);
    afterRender(() => {
      adds.current?.scrollIntoView({ block: 'nearest' });
      focusName(fieldIdOf(nameOf(pointerOf([...path, name]))));
    });
    entries.add(name);
    onEdit(path, { ...value, [name]: blankItem(partForName(further, name) ?? further?.patterns[0]?.part ?? null) });
  }

  return (
    <>
      {entries.rows.slice(0, FIELDS_MOST).map((row) => {
        const each = row.name;
        const part = partOf(row);
        if (part === null) return <Unknown key={row.key} path={[...path, each]} name={each} />;
        const large = ['object', 'array', 'tuple', 'union', 'json'].includes(planAt(part, value[each]).control);
        return (
          <div key={row.key} className="flex min-w-0 flex-wrap items-start gap-2 rounded">
            <NameField path={[...path, each]} name={each} taken={taken} patterns={patterns} onRename={(to) => rename(row, to)} />
            <div className={large ? 'order-last w-full min-w-0 border-l-2 pl-3' : 'min-w-0 flex-1'}>
              <NestedField part={part} path={[...path, each]} value={value[each]} required bare stays called={each} />
            </div>
            <IconButton
              label={`Remove ${each}`}
              disabled={disabled}
              onClick={() => onEdit(path, Object.fromEntries(Object.entries(value).filter(([other]) => other !== each)))}
              className={large ? 'ml-auto' : ''}
            >
              <X aria-hidden />
            </IconButton>
          </div>
        );
      })}
      {names.length <= FIELDS_MOST ? null : (
        <p className="text-xs text-muted">{inThousands(names.length - FIELDS_MOST)} more are in the JSON.</p>
      )}
      {patterns.length === 0 ? null : (
        <p className="text-xs text-muted">
          Names fit {patterns.length === 1 ? 'the pattern' : 'one of the patterns'} <code className="break-all">{patterns.join('  ')}</code>
          .
        </p>
      )}
      {valueWords(further).map((words) => (
        <p key={words} className="foreign text-xs text-muted">
          Each value: {words}
        </p>
      ))}
      {further === null || names.length >= FIELDS_MOST ? null : (
        <span ref={adds} className="flex self-start">
          <Button
            size="sm"
            icon={<Plus aria-hidden />}
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

/** The name is what is typed first. */
function focusName(id: string) {
  const field = document.getElementById(id);
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  field.select();
}

/** What the schema says of the values, whatever their names. */
function valueWords(further: FieldPlan['further']): readonly string[] {
  const parts = [...(further?.patterns ?? []).map((each) => each.part), further?.others ?? null].filter((part) => part !== null);
  return [...new Set(parts.map((part) => planAt(part, undefined).description).filter((words) => words !== null))];
}

/** The name that a new entry has until it gets its own. */
function freshName(taken: readonly string[], patterns: readonly string[]): string {
  const stem = patterns.map(beginning).find((each) => each !== '') ?? 'name';
  let name = stem;
  for (let count = 2; taken.includes(name); count += 1) name = `${stem}${count}`;
  return name;
}

/** "^x-" begins with "x-": half of a name that fits. */
function beginning(pattern: string): string {
  return /^\^([A-Za-z0-9_-]+)(?![*+?{])/.exec(pattern)?.[1] ?? '';
}

/** An entry whose name does not fit any pattern yet keeps its field while it gets one. */
function isBeingNamed(further: FieldPlan['further'], name: string): boolean {
  return further !== null && further.patterns.length > 0 && /^name\d*$/.test(name);
}

/** A value that the form has no field for: it came by JSON, from an older call, or from before the tool changed. */
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
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded bg-subtle px-3 py-1.5 text-sm"
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
