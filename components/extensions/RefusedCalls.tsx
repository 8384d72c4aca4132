import { ShieldCheck } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import type { ReactNode } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import type { CallIssue } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { RevisionComparison } from '#lib/contract/revision-comparison.ts';

/** Saved calls and recent ones that the second of two revisions would refuse, each with its reason. */
export function RefusedCalls({ comparison }: { comparison: RevisionComparison }) {
  const { to, refused, checked_calls: calls, refused_saved_calls: refusedSaved, checked_saved_calls: saved } = comparison;
  return (
    <>
      <Tried what="saved call" checked={saved} revision={to} refused={refusedSaved.length}>
        {refusedSaved.map((one) => (
          <Line key={one.saved_call_id} href={PAGES.savedCall(one.tool, one.saved_call_id)} name={one.name} issues={one.issues}>
            <span className="text-muted">of {one.tool}</span>
            {one.required ? <Badge icon={<ShieldCheck aria-hidden />}>Required</Badge> : null}
            {one.tool_gone ? <span className="text-muted">The tool is gone.</span> : null}
          </Line>
        ))}
      </Tried>
      <Tried what="recent call" checked={calls} revision={to} refused={refused.length}>
        {refused.map((call) => (
          <Line key={call.call_id} href={PAGES.call(call.call_id)} name={call.tool} issues={call.issues} />
        ))}
      </Tried>
    </>
  );
}

function Tried({
  what,
  checked,
  revision,
  refused,
  children,
}: {
  what: string;
  /** Null where the revision cannot run. */
  checked: number | null;
  revision: number;
  refused: number;
  children: ReactNode;
}) {
  if (checked === 0) return null;
  const calls = checked === null ? `${what}s` : `${checked} ${what}${checked === 1 ? '' : 's'}`;
  const sentence =
    checked === null
      ? `Revision ${revision} cannot run, so ${calls} could not be tried against it${refused === 0 ? '.' : ', but it would refuse:'}`
      : refused === 0
        ? `Revision ${revision} would accept the arguments of ${calls} of these tools.`
        : `Of ${calls}, revision ${revision} would refuse ${refused}:`;
  if (refused === 0) return <p className="text-sm text-muted">{sentence}</p>;
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      <p>{sentence}</p>
      <ul aria-label={`Refused ${what}s`} className="flex flex-col gap-1">
        {children}
      </ul>
    </div>
  );
}

function Line({ href, name, issues, children }: { href: string; name: string; issues: readonly CallIssue[]; children?: ReactNode }) {
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <ListLink href={href} className="rounded-sm break-all underline underline-offset-2">
        {name}
      </ListLink>
      {children}
      {issues.length === 0 ? null : (
        <span className="foreign min-w-0 text-muted">{issues.map((issue) => `${issue.path} ${issue.message}`.trim()).join('; ')}</span>
      )}
    </li>
  );
}
