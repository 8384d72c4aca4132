import type { Metadata } from 'next';
import { ToolList } from '#components/tools/ToolList.tsx';
import { PageHead } from '#components/ui/Panel.tsx';

export const metadata: Metadata = { title: 'Tools' };

export default function ToolsPage() {
  return (
    <div className="flex w-full max-w-5xl flex-col gap-4">
      <PageHead title="Tools" note="All tools of every extension. Open one to fill in its arguments and run it." />
      <ToolList />
    </div>
  );
}
