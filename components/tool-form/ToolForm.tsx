'use client';

import {
  createContext,
  memo,
  type ReactNode,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type DragEvent,
} from 'react';
import { Eye, EyeOff, FileUp, X } from 'lucide-react';
import { Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { inThousands, sizeInWords } from '#components/ui/numbers.ts';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import {
  type ControlProps,
  FieldContext,
  fieldIdOf,
  type FieldProps,
  type FormView,
  FormViewContext,
  IssuesContext,
  useControlNames,
  useFormView,
  emptyWords,
} from './form-view.tsx';
import { canShow, editPayload, MAX_FIELDS, type Path, type Payload } from './payload.ts';
import type { FormSchema } from './field-plan.ts';
import { FieldFrame, Issues } from './FieldFrame.tsx';
import { planAt } from './form-plan.ts';
import { IncompleteInputContext } from './incomplete-input.ts';
import { type IssueMap, pointerOf } from './issues.ts';
import { AdditionalFields } from './AdditionalFields.tsx';
import { ArrayControl, ObjectControl, TupleControl, UnionControl } from './NestedControls.tsx';
import { BooleanControl, ChoiceControl, ChoicesControl } from './ChoiceControl.tsx';
import { DateControl, NumberControl, TextControl } from './TextControl.tsx';
import { JsonControl } from './JsonText.tsx';
import { sameJson } from './json-text.ts';
import { listOf, numberOf, textOf, type SchemaNode } from './schema-node.ts';
import { asSecret, isLegible, isNamedSecret } from './secrets.ts';

interface ToolFormProps extends Omit<FormView, 'onEdit'> {
  readonly form: FormSchema;
  readonly payload: Payload;
  readonly onChange: (payload: Payload) => void;
  readonly issues: IssueMap;
}

const ROOT: Path = [];
const drawField = (props: FieldProps) => <FieldView {...props} />;

/**
 * Only values in `payload` are sent. A field changes only its own value, and its other props are stable while typing, so that a
 * form of 500 fields is as fast as one of 5.
 */
export function ToolForm({ form, payload, onChange, issues, disabled, onVisit, onTouch, onUnsendable, onUnchosen }: ToolFormProps) {
  const incomplete = useContext(IncompleteInputContext);
  const latest = useRef({ payload, onChange, form });
  useLayoutEffect(() => {
    latest.current = { payload, onChange, form };
  });
  const onEdit = useCallback(
    (path: Path, value: unknown) => {
      const { current } = latest;
      onTouch(pointerOf(path));
      incomplete.forgetWithin(pointerOf(path));
      const next = editPayload(current.form, current.payload, path, value);
      latest.current = { ...current, payload: next };
      current.onChange(next);
    },
    [onTouch, incomplete],
  );
  const view = useMemo<FormView>(
    () => ({ disabled, onEdit, onVisit, onTouch, onUnsendable, onUnchosen }),
    [disabled, onEdit, onVisit, onTouch, onUnsendable, onUnchosen],
  );
  const plan = planAt(form, payload);
  return (
    <FormViewContext value={view}>
      <FieldContext value={drawField}>
        <IssuesContext value={issues}>
          <fieldset disabled={disabled} className="min-w-0">
            <legend className="sr-only">Arguments</legend>
            {plan.control === 'object' || plan.control === 'union' ? (
              <FieldView part={form} path={ROOT} value={payload} required bare fallbackTitle="" />
            ) : (
              <div id={fieldIdOf('')} data-path="" tabIndex={-1} className="flex min-w-0 flex-col gap-4 rounded outline-offset-4">
                <AdditionalFields plan={plan} path={ROOT} name="" value={payload} />
                <Issues pointer="" />
              </div>
            )}
          </fieldset>
        </IssuesContext>
      </FieldContext>
    </FormViewContext>
  );
}

/** Memoized per pointer: typing re-renders only the changed field. */
const FieldView = memo(Field, isSame);

function Field({
  part,
  path,
  value,
  required,
  bare = false,
  shared = false,
  isEntry = false,
  discriminator = null,
  condition = null,
  fallbackTitle,
}: FieldProps) {
  const { onEdit } = useFormView();
  const within = useContext(WithinSecret);
  const planned = planAt(part, value);
  const plan = within || isNamedSecret(path.at(-1), planned.control, value) ? asSecret(planned) : planned;
  const pointer = pointerOf(path);
  const name = plan.title ?? fallbackTitle ?? String(path.at(-1) ?? '');
  const control = useMemo<ControlProps>(
    () => ({ plan, pointer, path, name, value, required, isEntry, discriminator, onChange: (next) => onEdit(path, next) }),
    // The path changes only with the pointer.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
    [plan, pointer, name, value, required, isEntry, discriminator, onEdit],
  );
  return (
    <FieldFrame
      control={control}
      bare={bare}
      shared={shared}
      condition={condition}
      property={typeof path.at(-1) === 'string' ? String(path.at(-1)) : null}
    >
      <WithinSecret value={plan.secret}>{withSecretCover(control, part)}</WithinSecret>
    </FieldFrame>
  );
}

function withSecretCover(control: ControlProps, part: FormSchema) {
  const { plan, value } = control;
  if (!isLegible(plan) && (!plan.secret || canShow(plan, value))) return controlOf(control, part);
  return <SecretCover control={control} show={(inner) => controlOf(inner, part)} />;
}

function controlOf(control: ControlProps, part: FormSchema) {
  const { plan, value } = control;
  if (!canShow(plan, value)) return <JsonControl {...control} part={part} jsonReason={whyJson(value)} />;
  switch (plan.control) {
    case 'text':
    case 'multiline':
    case 'password':
      return <TextControl {...control} />;
    case 'bytes':
      return plan.secret ? <TextControl {...control} /> : <BytesControl {...control} />;
    case 'date':
    case 'time':
    case 'date-time':
      return <DateControl {...control} kind={plan.control} />;
    case 'number':
    case 'integer':
      return <NumberControl {...control} />;
    case 'boolean':
      return <BooleanControl {...control} />;
    case 'choice':
      return <ChoiceControl {...control} />;
    case 'choices':
      return isChosenOnce(control) ? <ChoicesControl {...control} /> : <ArrayControl {...control} />;
    case 'union':
      return <UnionControl {...control} />;
    case 'object':
      return <ObjectControl {...control} />;
    case 'array':
      return <ArrayControl {...control} />;
    case 'tuple':
      return <TupleControl {...control} />;
    case 'json':
      return <JsonControl {...control} part={part} />;
  }
}

function whyJson(value: unknown): string {
  if (Array.isArray(value) && value.length > MAX_FIELDS) return `These are ${inThousands(value.length)} items, too many for fields.`;
  return 'This field cannot show its value.';
}

/** Checkboxes cannot repeat a value: other lists are shown as rows. */
function isChosenOnce({ plan, value }: ControlProps): boolean {
  const list = listOf(value);
  return list.every(
    (item, index) =>
      plan.choices.some((choice) => sameJson(choice.value, item)) && list.findIndex((other) => sameJson(other, item)) === index,
  );
}

function isSame(one: FieldProps, other: FieldProps): boolean {
  return (
    one.part.schema === other.part.schema &&
    one.part.root === other.part.root &&
    Object.is(one.value, other.value) &&
    one.required === other.required &&
    one.bare === other.bare &&
    one.shared === other.shared &&
    one.isEntry === other.isEntry &&
    one.discriminator === other.discriminator &&
    one.condition === other.condition &&
    one.fallbackTitle === other.fallbackTitle &&
    pointerOf(one.path) === pointerOf(other.path)
  );
}

const WithinSecret = createContext(false);

/** Hides a secret in a control that cannot mask it, except while it is typed. */
function SecretCover({ control, show }: { control: ControlProps; show: (control: ControlProps) => ReactNode }) {
  const { pointer, name, value } = control;
  const names = useControlNames(pointer);
  const [shown, setShown] = useState(false);
  const [typed, setTyped] = useState<{ readonly value: unknown } | null>(null);
  const visible = shown || value === undefined || (typed !== null && sameJson(typed.value, value));

  function change(next: unknown) {
    setTyped({ value: next });
    control.onChange(next);
  }

  return (
    <span className="flex min-w-0 items-start gap-1">
      <span className="flex min-w-0 grow flex-col gap-1">
        {visible ? (
          show({ ...control, onChange: change })
        ) : (
          <Input {...names} type="text" aria-label={`${name}, hidden`} readOnly value="hidden" />
        )}
      </span>
      {value === undefined ? null : (
        <IconButton
          size="sm"
          label={visible ? `Hide ${name}` : `Show ${name}`}
          aria-pressed={visible}
          onClick={() => {
            setShown(!visible);
            setTyped(null);
          }}
        >
          {visible ? <EyeOff /> : <Eye />}
        </IconButton>
      )}
    </span>
  );
}

/** Longer values are shown by size only. */
const MAX_READABLE = 2_000;
/** Reserved for the rest of the request body. */
const BESIDE_BYTES = 16_384;
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

function BytesControl({ plan, pointer, name, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit, disabled } = useFormView();
  const [file, setFile] = useState<{ readonly name: string; readonly text: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const wanted = useRef<File>(null);
  const text = typeof value === 'string' ? value : '';
  const isFile = file !== null && value === file.text;
  const size = BASE64.test(text) ? sizeInWords(Math.floor((text.replace(/=+$/, '').length * 3) / 4)) : null;
  const shown = isFile ? `${file.name}, ${size}` : text.length > MAX_READABLE ? `${size ?? sizeInWords(text.length)} of base64` : null;

  function set(next: string | undefined) {
    wanted.current = null;
    setProblem(null);
    onChange(next);
  }

  async function readFile(chosen: File | undefined) {
    if (chosen === undefined) return;
    const max = maxBytes(plan.node);
    if (chosen.size > max) {
      setProblem(
        `${chosen.name} (${sizeInWords(chosen.size)}) is larger than ${sizeInWords(max)}, the most that can be sent. Choose a smaller file.`,
      );
      return;
    }
    wanted.current = chosen;
    const read = await base64Of(chosen, /^base64url$/i.test(textOf(plan.node['contentEncoding']) ?? textOf(plan.node['format']) ?? ''));
    // Another file was chosen or text was typed meanwhile.
    if (wanted.current !== chosen) return;
    if (read === null) {
      setProblem(`${chosen.name} cannot be read. Choose a file that this browser may open.`);
      return;
    }
    setFile({ name: chosen.name, text: read });
    set(read);
    onVisit(pointer);
  }

  function drag(event: DragEvent) {
    if (disabled || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  }

  function noteOf(): string {
    if (isFile) return `The file is filled in, ${size}.`;
    if (text === '' || shown !== null) return '';
    return size ?? 'This is not base64.';
  }

  return (
    <>
      <span
        className={cx('relative flex rounded', isOver && 'outline-2 outline-offset-2 outline-accent outline-dashed')}
        onDragEnter={drag}
        onDragOver={drag}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          if (disabled || event.dataTransfer.files.length === 0) return;
          event.preventDefault();
          void readFile(event.dataTransfer.files[0]);
        }}
      >
        <Input
          {...names}
          type="text"
          value={shown ?? text}
          readOnly={shown !== null}
          placeholder={value === null ? 'null' : emptyWords(plan) || 'base64, or drop a file here'}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => set(event.target.value === '' ? undefined : event.target.value)}
          onBlur={() => onVisit(pointer)}
          className={cx('text-ellipsis', text !== '' && 'pr-10', shown !== null && 'bg-subtle')}
        />
        {text === '' ? null : (
          <IconButton
            size="sm"
            label={`Clear ${name}`}
            onClick={() => {
              choose.current?.focus();
              setFile(null);
              set(undefined);
            }}
            className="absolute top-1/2 right-0.5 -translate-y-1/2"
          >
            <X />
          </IconButton>
        )}
      </span>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          ref={choose}
          size="sm"
          icon={<FileUp />}
          aria-label={`Choose ${text === '' ? 'a' : 'another'} file for ${name}`}
          onClick={() => picker.current?.click()}
        >
          {text === '' ? 'Choose a file' : 'Choose another file'}
        </Button>
        <p role="status" className={cx('foreign min-w-0 text-xs', problem === null ? 'text-muted' : 'basis-full font-medium text-failed')}>
          {problem ?? noteOf()}
        </p>
        <input
          ref={picker}
          type="file"
          hidden
          accept={textOf(plan.node['contentMediaType']) ?? undefined}
          onChange={(event) => {
            void readFile(event.target.files?.[0]);
            // Allows choosing the same file again after a change.
            event.target.value = '';
          }}
        />
      </div>
    </>
  );
}

/** Limited by the request body and by maxLength; four characters carry three bytes. */
function maxBytes(node: SchemaNode): number {
  const characters = Math.min(LIMITS.bodyBytes - BESIDE_BYTES, numberOf(node['maxLength']) ?? Number.POSITIVE_INFINITY);
  return Math.floor(characters / 4) * 3;
}

/** Null if the browser cannot read it, for example a folder. */
function base64Of(file: File, urlSafe: boolean): Promise<string | null> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => resolve(null));
    reader.addEventListener('load', () => {
      const address = typeof reader.result === 'string' ? reader.result : '';
      const text = address.slice(address.indexOf(',') + 1);
      resolve(urlSafe ? text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') : text);
    });
    reader.readAsDataURL(file);
  });
}
