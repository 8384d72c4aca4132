import type { GroupChange } from '#lib/contract/failure-group.ts';

/** What a person can do to one or several groups; each is shown in place, pending, done or refused. */
export interface ReviewActions {
  /** Whether who sits here may do any of it; where not, nothing of it does anything. */
  readonly isOffered: boolean;
  readonly change: (ids: readonly string[], change: GroupChange) => void;
  /** Under the name of the person, who is asked for it once. */
  readonly assignToMe: (ids: readonly string[]) => void;
  readonly askToIgnore: (ids: readonly string[]) => void;
  /** Does something else that is recorded under a name, which is asked for once. */
  readonly named: (act: () => void) => void;
  readonly showSource: (id: string) => void;
  readonly isPending: boolean;
  readonly problem: string | null;
}
