import { FileCode, TriangleAlert, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import type { NameChanges, Revision } from '#lib/contract/extension.ts';

const SHOWN = 6;

/** What a revision changed in the tools and files of its extension: "+ forecast − old_tool ~ get_weather"; all of them where that is not known. */
export function RevisionChanges({ revision }: { revision: Revision }) {
  const { files, files_changed: filesChanged, tools, tools_changed: toolsChanged } = revision;
  return (
    <>
      <Line icon={<Wrench aria-hidden />} label="Tools" all={tools} changes={toolsChanged}>
        {toolsChanged?.breaking === true ? (
          <Badge tone="degraded" icon={<TriangleAlert aria-hidden />}>
            Breaking
          </Badge>
        ) : null}
      </Line>
      <Line icon={<FileCode aria-hidden />} label="Files" all={files} changes={filesChanged} />
    </>
  );
}

const KINDS = [
  { kind: 'added', sign: '+', tone: 'text-ok' },
  { kind: 'removed', sign: '−', tone: 'text-failed' },
  { kind: 'changed', sign: '~', tone: 'text-muted' },
] as const;

interface LineProps {
  icon: ReactNode;
  label: string;
  all: readonly string[];
  changes: NameChanges | null;
  children?: ReactNode;
}

function Line({ icon, label, all, changes, children }: LineProps) {
  const names =
    changes === null
      ? all.map((name) => ({ kind: null, sign: null, tone: 'text-muted', name }))
      : KINDS.flatMap(({ kind, sign, tone }) => changes[kind].map((name) => ({ kind, sign, tone, name })));
  if (names.length === 0) return null;
  return (
    <div className="flex min-w-0 items-start gap-2 text-sm [&>svg]:mt-0.5 [&>svg]:size-3.5 [&>svg]:shrink-0 [&>svg]:text-muted">
      {icon}
      <ul
        aria-label={changes === null ? label : `${label} changed since revision ${changes.since}`}
        className="flex min-w-0 flex-wrap gap-x-3"
      >
        {names.slice(0, SHOWN).map(({ kind, sign, tone, name }) => (
          <li
            key={`${kind} ${name}`}
            title={kind === null ? name : `${name}: ${kind} since revision ${changes?.since}`}
            className={cx('flex min-w-0 gap-1', kind === null && tone)}
          >
            {kind === null ? null : (
              <>
                <span aria-hidden className={cx('w-[1ch] shrink-0 text-center font-mono font-semibold', tone)}>
                  {sign}
                </span>
                <span className="sr-only">{kind} </span>
              </>
            )}
            <span className="min-w-0 break-all">{name}</span>
          </li>
        ))}
        {names.length > SHOWN ? <li className="text-muted">and {names.length - SHOWN} more</li> : null}
        {children === undefined || children === null ? null : <li className="flex">{children}</li>}
      </ul>
    </div>
  );
}
