import type { Metadata } from 'next';
import { InstancesView } from '#components/settings/InstancesView.tsx';

export const metadata: Metadata = { title: 'Instances' };

/** The layout prefetches the list for the navigation. */
export default function InstancesPage() {
  return <InstancesView />;
}
