import type { GroupChange } from '#lib/contract/failure-group.ts';

/** What a person can do to one or several groups; each is shown in place, pending, done or refused. */
export interface ReviewActions {
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
