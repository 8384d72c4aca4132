'use client';

import { EllipsisVertical, FilePen, Link2, PencilLine, Play, ShieldCheck, Trash2 } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import { cx } from '#components/ui/cx.ts';
import { Badge } from '#components/ui/Badge.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Button } from '#components/ui/Button.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { durationInWords } from '#components/ui/times.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { argumentsInLine } from './call-words.ts';
import { standingOf } from './saved-call-words.ts';

export interface SavedCallRowProps {
  saved: SavedCall;
  running: boolean;
  open: boolean;
  disabled: boolean;
  problem: string | null;
  onLoad: () => void;
  /** This and the following: null where it may not be done. */
  onRun: (() => void) | null;
  onEdit: (() => void) | null;
  /** The form's arguments take the place of those that were saved. */
  onOverwrite: (() => void) | null;
  onCopyLink: () => void;
  onDelete: (() => void) | null;
}

/** One saved call: pressing it loads its arguments; beside it Run, and the rest in a menu. */
export function SavedCallRow(props: SavedCallRowProps) {
  const { saved, running, open, problem } = props;
  const standing = standingOf(saved);
  const run = saved.last_run;
  return (
    <li className={cx('flex min-w-0 flex-col gap-0.5 px-4 py-1.5 hover:bg-hover', open && 'bg-accent-soft')}>
      <div className="flex min-w-0 items-center gap-2">
        <button
          type="button"
          aria-current={open || undefined}
          onClick={props.onLoad}
          title="Load its arguments"
          className="focus-inset flex min-w-0 flex-1 flex-col rounded-sm py-0.5 text-left pointer-coarse:py-2"
        >
          <span className="flex max-w-full min-w-0 items-center gap-2">
            <span className="truncate font-medium">{saved.name}</span>
            {saved.required ? <Badge icon={<ShieldCheck aria-hidden />}>Required</Badge> : null}
          </span>
          <code className="max-w-full truncate text-xs text-muted">{argumentsInLine(saved) || 'no arguments'}</code>
        </button>
        <span className="flex shrink-0 items-center gap-2 text-sm">
          {running ? (
            <StateText state="running" />
          ) : standing === null ? (
            <span className="text-muted">{saved.expectation === null ? 'Not run yet' : 'Not checked yet'}</span>
          ) : (
            <StateText {...standing} />
          )}
          {props.onRun === null ? null : (
            <IconButton size="sm" label={`Run ${saved.name}`} pending={running} disabled={props.disabled} onClick={props.onRun}>
              <Play aria-hidden />
            </IconButton>
          )}
          <DropdownMenu
            trigger={
              <Button size="sm" variant="quiet" aria-label={`More about ${saved.name}`} className="size-7 p-0 pointer-coarse:min-w-10">
                <EllipsisVertical aria-hidden />
              </Button>
            }
          >
            {props.onEdit === null ? null : (
              <MenuItem icon={<PencilLine aria-hidden />} onSelect={props.onEdit}>
                Change name, expectation…
              </MenuItem>
            )}
            {props.onOverwrite === null ? null : (
              <MenuItem icon={<FilePen aria-hidden />} onSelect={props.onOverwrite}>
                Save the form’s arguments here
              </MenuItem>
            )}
            <MenuItem icon={<Link2 aria-hidden />} onSelect={props.onCopyLink}>
              Copy link
            </MenuItem>
            {props.onDelete === null ? null : (
              <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={props.onDelete}>
                Delete…
              </MenuItem>
            )}
          </DropdownMenu>
        </span>
      </div>
      {saved.left_out.length === 0 ? null : (
        <p className="text-xs text-muted">
          Saved without <span className="break-words">{saved.left_out.map(pointerInWords).join(', ')}</span>; each run asks for{' '}
          {saved.left_out.length === 1 ? 'it' : 'them'}.
        </p>
      )}
      {saved.timeout_ms === null ? null : <p className="text-xs text-muted">Ended after {durationInWords(saved.timeout_ms)}.</p>}
      {run === null ? null : (
        <p className="flex min-w-0 flex-wrap gap-x-2 text-xs text-muted">
          {run.failed_because === null ? null : <span className="foreign min-w-0 text-failed">{run.failed_because}</span>}
          <ListLink href={PAGES.call(run.call_id)} className="rounded-sm underline underline-offset-2">
            <RelativeTime time={run.ran_at} />
            {run.revision === null ? '' : `, revision ${run.revision}`}
          </ListLink>
        </p>
      )}
      {problem === null ? null : <ProblemLine className="text-xs font-medium">{problem}</ProblemLine>}
    </li>
  );
}
