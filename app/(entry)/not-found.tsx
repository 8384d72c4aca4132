import { EntryFrame } from '#components/accounts/EntryFrame.tsx';
import { Button } from '#components/ui/Button.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export default function EntryNotFound() {
  return (
    <EntryFrame
      title="Nobody signs in here"
      note="This server has no accounts: it is for one user on this machine. AUTH=team turns them on."
    >
      <Button asChild className="self-start">
        <a href={PAGES.overview}>Go to the overview</a>
      </Button>
    </EntryFrame>
  );
}
