'use client';

import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import type { ControlProps } from './controls.ts';
import { dateOf, localTextOf, momentOf } from './date-text.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { TextControl } from './TextControl.tsx';

/** A day, picked; text that is no day stays text. */
export function DateControl(props: ControlProps) {
  const names = useControlNames(props.pointer);
  const { onVisit } = useFormView();
  const { value, onChange, pointer } = props;
  if (typeof value === 'string' && dateOf(value) === null)
    return <TextControl {...props} plan={{ ...props.plan, placeholder: '2026-01-31' }} />;
  return (
    <Input
      {...names}
      type="date"
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      onBlur={() => onVisit(pointer)}
      className="max-w-52"
    />
  );
}

/** A moment, picked in the time of this computer and sent in UTC; what it is sent as stands beside it. */
export function MomentControl(props: ControlProps) {
  const names = useControlNames(props.pointer);
  const { onVisit } = useFormView();
  const { value, onChange, pointer } = props;
  const moment = typeof value === 'string' ? momentOf(value) : null;
  if (typeof value === 'string' && moment === null)
    return <TextControl {...props} plan={{ ...props.plan, placeholder: '2026-01-31T09:30:00Z' }} />;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Input
        {...names}
        type="datetime-local"
        step={1}
        value={moment === null ? '' : localTextOf(moment)}
        onChange={(event) => {
          const picked = new Date(event.target.value);
          onChange(event.target.value === '' || Number.isNaN(picked.getTime()) ? undefined : utcOf(picked));
        }}
        onBlur={() => onVisit(pointer)}
        className="w-auto max-w-64"
      />
      <Button size="sm" variant="quiet" onClick={() => onChange(utcOf(new Date()))}>
        Now
      </Button>
      {moment === null ? null : <code className="text-xs text-muted">{String(value)}</code>}
    </span>
  );
}

function utcOf(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}
