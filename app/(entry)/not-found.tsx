import { EntryFrame } from '#components/accounts/EntryFrame.tsx';
import { Button } from '#components/ui/Button.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export default function EntryNotFound() {
  return (
    <EntryFrame title="No accounts on this server" note="This server has one user and no sign-in. Set AUTH=team to enable accounts.">
      <Button asChild className="self-start">
        <a href={PAGES.overview}>Go to Overview</a>
      </Button>
    </EntryFrame>
  );
}
