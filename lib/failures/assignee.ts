import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { GroupSettings } from '#lib/store/failure-group-store.ts';

/** Who can have a failure, or be mentioned. */
export interface Teammate {
  readonly id: string;
  /** Unique, whatever the case of its letters. */
  readonly name: string;
  /** One who is not cannot sign in. */
  readonly active: boolean;
}

const NAMES_TOLD = 20;

/** Of a team a member who can sign in, as he spells himself; without accounts (`members` is null) any name. */
export function chooseAssignee(
  given: string | null | undefined,
  members: readonly Teammate[] | null,
): Result<Pick<GroupSettings, 'assignee' | 'assigneeId'>> {
  if (given === undefined || given === null || members === null) return ok({ assignee: given });
  const key = given.toLowerCase();
  const member = members.find(({ name }) => name.toLowerCase() === key);
  if (member?.active === true) return ok({ assignee: member.name, assigneeId: member.id });
  return refuse(
    'body_fields_invalid',
    member === undefined
      ? `"assignee" must be a member of this team, or null for nobody. “${given}” is none; there are ${namesOf(members)}.`
      : `"assignee" must be a member who can sign in, or null for nobody. The account of ${member.name} is switched off; there are ${namesOf(members)}.`,
  );
}

function namesOf(members: readonly Teammate[]): string {
  const names = members.flatMap(({ name, active }) => (active ? [name] : []));
  const more = names.length - NAMES_TOLD;
  return `${names.slice(0, NAMES_TOLD).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
