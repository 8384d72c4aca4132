import { Lock } from 'lucide-react';
import { LinkButton } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/QueryState.tsx';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { Role } from '#lib/contract/actions.ts';

/** @param role of the member, who lacks the role that the page needs */
export function Forbidden({ needs, role }: { needs: Role; role: Role | null }) {
  const requiredRole = ROLE_WORDS[needs].name.toLowerCase();
  const yours = role === null ? null : ROLE_WORDS[role].name.toLowerCase();
  return (
    <EmptyState
      className="m-auto"
      level={1}
      icon={<Lock />}
      title={`This page is for the role ${requiredRole}`}
      actions={<LinkButton href={PAGES.team}>Show team</LinkButton>}
    >
      {yours === null ? '' : `Your role is ${yours}. `}An admin can give you another one.
    </EmptyState>
  );
}
