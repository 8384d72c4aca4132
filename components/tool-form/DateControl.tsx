'use client';

import { useEffect, useState } from 'react';
import type { FocusEvent, KeyboardEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import type { ControlProps } from './controls.ts';
import { dateOf, momentOf, momentTextOf, pickedTextOf, utcOf } from './date-text.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { TextControl } from './TextControl.tsx';

interface Half {
  readonly look: (event: FocusEvent<HTMLInputElement> | KeyboardEvent<HTMLInputElement>) => void;
}

/** A browser's own date field says nothing of a date that is half typed, and has no value then: such a form is not to be run. */
function useHalf({ pointer, value }: ControlProps, words: string): Half {
  const { onUnsendable } = useFormView();
  const [isHalf, setIsHalf] = useState(false);
  const problem = isHalf && typeof value !== 'string' ? words : null;

  useEffect(() => {
    onUnsendable(pointer, problem);
    return () => onUnsendable(pointer, null);
  }, [pointer, problem, onUnsendable]);

  return { look: (event) => setIsHalf(event.currentTarget.validity.badInput) };
}

/** Text that cannot be picked is typed, and goes on being typed while it becomes what could be. */
function useAsText(value: unknown, canBePicked: (text: string) => boolean): [boolean, (asText: boolean) => void] {
  const [asText, setAsText] = useState(false);
  const must = typeof value === 'string' && !canBePicked(value);
  if (must && !asText) setAsText(true);
  return [asText || must, setAsText];
}

/** A day, picked; text that is no day stays text. */
export function DateControl(props: ControlProps) {
  const [asText] = useAsText(props.value, (text) => dateOf(text) !== null);
  return asText ? <TextControl {...props} plan={{ ...props.plan, placeholder: '2026-01-31' }} /> : <DayField {...props} />;
}

function DayField(props: ControlProps) {
  const { value, onChange, pointer } = props;
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const { look } = useHalf(props, 'The date is not complete. Enter day, month and year, or clear it.');
  return (
    <Input
      {...names}
      type="date"
      max="9999-12-31"
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      onKeyDown={look}
      onKeyUp={look}
      onBlur={(event) => {
        look(event);
        onVisit(pointer);
      }}
      className="max-w-52"
    />
  );
}

/** A moment, picked; or typed, with any zone and any fraction of a second. */
export function MomentControl(props: ControlProps) {
  const { value, onChange } = props;
  const [asText, setAsText] = useAsText(value, (text) => momentOf(text) !== null);
  const canBePicked = typeof value !== 'string' || momentOf(value) !== null;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {asText ? (
        <span className="min-w-52 flex-1">
          <TextControl {...props} plan={{ ...props.plan, placeholder: '2026-01-31T09:30:00+02:00' }} />
        </span>
      ) : (
        <MomentField {...props} />
      )}
      {asText ? null : (
        <Button size="sm" variant="quiet" onClick={() => onChange(utcOf(new Date()))}>
          Now
        </Button>
      )}
      <Button key="way" size="sm" variant="quiet" disabled={!canBePicked} onClick={() => setAsText(!asText)}>
        {asText ? 'Pick it' : 'As text'}
      </Button>
      {asText || typeof value !== 'string' ? null : <code className="text-xs text-muted">{value}</code>}
    </span>
  );
}

/** Picked in the time of this computer and sent in UTC; where there is a moment in another zone, in that one. */
function MomentField(props: ControlProps) {
  const { value, onChange, pointer } = props;
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const { look } = useHalf(props, 'The date or its time is not complete. Enter both, or clear them.');
  const text = typeof value === 'string' ? value : '';
  return (
    <Input
      {...names}
      type="datetime-local"
      step={1}
      max="9999-12-31T23:59:59"
      value={pickedTextOf(text)}
      onChange={(event) => onChange(momentTextOf(event.target.value, text) ?? undefined)}
      onKeyDown={look}
      onKeyUp={look}
      onBlur={(event) => {
        look(event);
        onVisit(pointer);
      }}
      className="w-auto max-w-64"
    />
  );
}
