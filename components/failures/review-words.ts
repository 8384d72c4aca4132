import type { FailureGroup, GroupActivity } from '#lib/contract/failure-group.ts';
import { UNTIL_CHANGED } from '#lib/contract/states.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { minuteOf, UTC } from '#components/ui/times.ts';

export function regressionInWords(group: Pick<FailureGroup, 'regression' | 'resolved_by' | 'regressed_by'>): string | null {
  if (!group.regression) return null;
  const back = group.regressed_by?.revision ?? null;
  const where = back === null ? 'failed again' : `failed again in revision ${back}`;
  if (group.resolved_by === null) return where;
  return `${fixInWords(group.resolved_by.revision)}, ${where}`;
}

function fixInWords(revision: number | null): string {
  return revision === null ? 'fixed by removing the extension' : `fixed in revision ${revision}`;
}

export function ignoringInWords(until: string | null, clock = UTC): string {
  if (until === null) return 'permanently';
  return until === UNTIL_CHANGED ? 'until the extension changes and still fails' : `until ${minuteOf(until, clock)}`;
}

const STATUS_CHANGES = { open: 'Reopened', acknowledged: 'Acknowledged', ignored: 'Ignored', resolved: 'Resolved' } as const;

export function activityInWords(entry: GroupActivity, clock = UTC): string {
  const who = entry.actor ?? 'Someone';
  const reason = entry.reason === null || entry.reason === '' ? '' : `: ${entry.reason}`;
  switch (entry.kind) {
    case 'opened':
      return entry.revision === null ? 'First seen' : `First seen in revision ${entry.revision}`;
    case 'resolved':
      return entry.revision === null ? 'Resolved: the extension was removed' : `Resolved: revision ${entry.revision} loaded`;
    case 'regressed': {
      const fixed = entry.fixed_in === null ? 'Resolved' : `Fixed in revision ${entry.fixed_in}`;
      return `${fixed}, failed again${entry.revision === null ? '' : ` in revision ${entry.revision}`}`;
    }
    case 'changed':
      return `Reopened: ${entry.revision === null ? 'it' : `revision ${entry.revision}`} still fails`;
    case 'ignore_ended':
      return 'Reopened: the ignore period ended';
    case 'assigned':
      return assignmentInWords(who, entry);
    case 'mentioned':
      return `${who} mentioned ${namesInWords(entry.names ?? [])}`;
    case 'status_changed': {
      if (entry.from === entry.to && entry.to !== 'ignored')
        return `${who} ${reason === '' ? 'removed the reason' : `changed the reason${reason}`}`;
      const change = isStatus(entry.to) ? STATUS_CHANGES[entry.to] : `Set ${entry.to ?? 'nothing'}`;
      const words = entry.actor === null ? change : `${who} ${change.toLowerCase()}${isStatus(entry.to) ? ' it' : ''}`;
      return `${words}${entry.to === 'ignored' ? ` ${ignoringInWords(entry.ignore_until, clock)}` : ''}${reason}`;
    }
    case 'merged':
      return `${who} merged another group into this one`;
    case 'split':
      return `${who} split it in two`;
  }
}

function assignmentInWords(who: string, { actor, to, from }: GroupActivity): string {
  if (to === null) return `${who} unassigned ${from === actor ? 'themselves' : (from ?? 'the assignee')}`;
  return to === actor ? `${who} assigned themselves` : `${who} assigned ${to}`;
}

function namesInWords(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? 'nobody') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function isStatus(text: string | null): text is keyof typeof STATUS_CHANGES {
  return text !== null && Object.hasOwn(STATUS_CHANGES, text);
}

export function countInWords(count: number): string {
  return count === 1 ? 'seen once' : `seen ${inThousands(count)} times`;
}
