import type { Metadata } from 'next';
import { FileConflicts } from '#components/extensions/FileConflicts.tsx';
import { InstancesView } from '#components/settings/InstancesView.tsx';

export const metadata: Metadata = { title: 'Instances' };

/** The layout prefetches the list for the navigation. */
export default function InstancesPage() {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <InstancesView />
      <FileConflicts />
    </div>
  );
}
