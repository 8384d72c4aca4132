'use client';

import { useQuery } from '@tanstack/react-query';
import { KeyRound, PencilLine, Plus, Trash2, TriangleAlert } from 'lucide-react';
import { parseAsString, useQueryState } from 'nuqs';
import { useRef, useState } from 'react';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { Field, Input, Textarea } from '#components/ui/Field.tsx';
import { LinkedNames } from '#components/ui/LinkedNames.tsx';
import { PageHead, Panel } from '#components/ui/Panel.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
import { ReadOnlyNote } from '#components/ui/Note.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { secretsQuery, usePutSecret, useRemoveSecret } from '#lib/client/secret-queries.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import { SHORTEST_KNOWN } from '#lib/contract/known-secrets.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { isSecretStoreName, SECRET_NAME_RULE } from '#lib/contract/names.ts';
import type { Secret } from '#lib/contract/secrets.ts';

/** Names of secrets, their uses, and missing ones. Values are write-only. */
export function SecretsView() {
  const { data, error, refetch, isFetching } = useQuery(secretsQuery());
  const remove = useRemoveSecret();
  const mayNot = useMayNot('secrets.write');
  /** The name of the secret in the dialog; empty for a new one. A link from a failure sets it. */
  const [edited, setEdited] = useQueryState('add', parseAsString);
  const [deleting, setDeleting] = useState<Secret | null>(null);
  const known = data?.secrets.find(({ name }) => name === edited);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Secrets"
        note="API keys and passwords of extensions. Stored encrypted; a value is never shown again."
        actions={
          mayNot === null ? (
            <Button variant="primary" icon={<Plus />} onClick={() => void setEdited('')}>
              Add secret
            </Button>
          ) : undefined
        }
      />
      {mayNot === null ? null : <ReadOnlyNote>{mayNot}</ReadOnlyNote>}
      {data === undefined ? (
        <QueryState query={{ error, refetch, isFetching }} what="the secrets" lines={5} />
      ) : (
        <>
          {data.missing.length === 0 ? null : (
            <Panel title="Missing" note={data.missing.length} flush>
              <ul aria-label="Missing secrets" className="divide-y">
                {data.missing.map(({ name, uses }) => (
                  <li key={name} className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
                    <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
                      <span className="flex min-w-0 items-center gap-2">
                        <TriangleAlert className="size-4 shrink-0 text-degraded" />
                        <code className="min-w-0 truncate font-medium">{name}</code>
                      </span>
                      <Uses ids={uses} words="Needed by" />
                    </div>
                    {mayNot === null && isSecretStoreName(name) ? (
                      <Button size="sm" icon={<Plus />} onClick={() => void setEdited(name)}>
                        Add<span className="sr-only"> {name}</span>
                      </Button>
                    ) : null}
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          <Panel title={data.secrets.length === 0 ? undefined : 'Stored'} note={data.secrets.length} flush>
            {data.secrets.length === 0 ? (
              <EmptyState title="No secrets yet" icon={<KeyRound />} className="py-8">
                Add one, then use it as <code>{'${secret:NAME}'}</code> in mcp.json, or name it in the <code>SECRETS</code> list of an
                extension.
              </EmptyState>
            ) : (
              <ul aria-label="Stored secrets" className="divide-y">
                {data.secrets.map((secret) => (
                  <SecretRow
                    key={secret.name}
                    secret={secret}
                    onReplace={mayNot === null ? () => void setEdited(secret.name) : null}
                    onDelete={mayNot === null ? () => setDeleting(secret) : null}
                  />
                ))}
              </ul>
            )}
          </Panel>
        </>
      )}
      {edited === null || mayNot !== null ? null : (
        <SecretDialog
          key={edited}
          name={edited}
          isKnown={known !== undefined}
          stored={data?.secrets ?? []}
          onClose={() => void setEdited(null)}
        />
      )}
      <AlertDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete ${deleting?.name ?? ''}?`}
        description={
          deleting === null || deleting.uses.length === 0
            ? 'No extension uses it. The value cannot be restored.'
            : `${deleting.uses.join(', ')} will stop serving. The value cannot be restored.`
        }
        confirm="Delete"
        danger
        onConfirm={() => (deleting === null ? undefined : remove.mutateAsync(deleting.name))}
      />
    </div>
  );
}

function SecretRow({ secret, onReplace, onDelete }: { secret: Secret; onReplace: (() => void) | null; onDelete: (() => void) | null }) {
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
        <code className="min-w-0 truncate font-medium">{secret.name}</code>
        {secret.readable ? null : (
          <span className="text-sm text-degraded">Encrypted with a key that this server does not have. Replace its value.</span>
        )}
        <Uses ids={secret.uses} words="Used by" />
      </div>
      <span className="min-w-40 text-sm text-muted">
        Changed <RelativeTime time={secret.updated_at} />
        {secret.updated_by === null ? null : (
          <>
            {' by '}
            <bdi>{secret.updated_by}</bdi>
          </>
        )}
      </span>
      {onReplace === null || onDelete === null ? null : (
        <span className="flex gap-2">
          <Button size="sm" icon={<PencilLine />} onClick={onReplace}>
            Replace<span className="sr-only"> {secret.name}</span>
          </Button>
          <Button size="sm" icon={<Trash2 />} onClick={onDelete}>
            Delete<span className="sr-only"> {secret.name}</span>
          </Button>
        </span>
      )}
    </li>
  );
}

function Uses({ ids, words }: { ids: readonly string[]; words: string }) {
  if (ids.length === 0) return <span className="text-sm text-muted">Not used</span>;
  return (
    <span className="min-w-0 text-sm text-muted">
      {words} <LinkedNames names={ids} hrefOf={PAGES.extension} max={ids.length} />
    </span>
  );
}

interface SecretDialogProps {
  name: string;
  isKnown: boolean;
  stored: readonly Secret[];
  onClose: () => void;
}

function SecretDialog({ name: given, isKnown, stored, onClose }: SecretDialogProps) {
  const put = usePutSecret();
  const field = useRef<HTMLTextAreaElement>(null);
  const [name, setName] = useState(given);
  const [isReplaceChosen, setReplaceChosen] = useState(false);
  const [value, setValue] = useState('');
  const isBadName = name !== '' && !isSecretStoreName(name);
  const replaces = isKnown || isReplaceChosen;
  // During the save, the list already gets the new secret.
  const isTaken = !replaces && !put.isPending && !put.isSuccess && stored.some((secret) => secret.name === name);

  function chooseReplace() {
    setReplaceChosen(true);
    field.current?.focus();
  }

  return (
    <FormDialog
      onClose={onClose}
      title={replaces ? `Replace ${name}` : 'Add secret'}
      description={replaces ? 'Extensions that use it are loaded again.' : 'Extensions that name it get it as an environment variable.'}
      submit={replaces ? 'Replace' : 'Add secret'}
      pending={put.isPending}
      isIncomplete={name === '' || isBadName || isTaken || value === ''}
      error={put.error}
      onSubmit={() => put.mutate({ name, value, isNew: !replaces }, { onSuccess: onClose })}
    >
      {replaces ? null : (
        <Field
          label="Name"
          error={
            isBadName ? (
              `A name is ${SECRET_NAME_RULE.replaceAll('`', '')}.`
            ) : isTaken ? (
              <>
                “{name}” exists already. Choose another name, or{' '}
                <button type="button" onClick={chooseReplace} className="link pointer-coarse:min-h-8">
                  replace its value
                </button>
                .
              </>
            ) : null
          }
        >
          <Input
            value={name}
            required
            autoComplete="off"
            spellCheck={false}
            placeholder="GITHUB_TOKEN"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      <Field
        label="Value"
        description={
          value !== '' && value.length < SHORTEST_KNOWN
            ? `Values under ${SHORTEST_KNOWN} characters are not masked inside longer texts.`
            : 'Masked wherever Switchboard stores or shows text.'
        }
      >
        <Textarea
          ref={field}
          value={value}
          required
          rows={3}
          autoComplete="off"
          spellCheck={false}
          className="font-mono [-webkit-text-security:disc]"
          onChange={(event) => setValue(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
