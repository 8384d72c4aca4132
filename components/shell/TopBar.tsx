import { ConnectAgentButton } from './ConnectAgentButton.tsx';
import { ConnectionBadge } from './ConnectionBadge.tsx';
import { DisplayMenu } from './DisplayMenu.tsx';
import { PaletteButton } from './PaletteButton.tsx';
import { PersonMenu } from './PersonMenu.tsx';
import { ReloadButton } from './ReloadButton.tsx';
import { SnapshotChip } from './SnapshotChip.tsx';
import { StatusButton } from './StatusButton.tsx';
import { WatchBadge } from './WatchBadge.tsx';
import { Breadcrumb } from './Breadcrumb.tsx';

export function TopBar() {
  return (
    <header className="sticky top-0 z-20 flex h-13 items-center gap-2 border-b bg-panel px-4 lg:gap-3 lg:px-6">
      <Breadcrumb />
      <PaletteButton />
      <div className="flex items-center gap-2 max-lg:hidden">
        <SnapshotChip />
        <WatchBadge />
      </div>
      <ConnectionBadge onlyTroubleWhenNarrow />
      <ReloadButton />
      <StatusButton />
      <div className="flex items-center gap-1">
        <ConnectAgentButton />
        <DisplayMenu />
        <div className="max-lg:hidden">
          <PersonMenu />
        </div>
      </div>
    </header>
  );
}
