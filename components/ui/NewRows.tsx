import { ArrowUp } from 'lucide-react';
import { Button } from './Button.tsx';

/** Number of new rows above a list, with a button that shows them. Overlaid, so that nothing shifts. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <div className="sticky top-16 z-10 flex h-0 justify-center">
      <Button size="sm" variant="primary" icon={<ArrowUp aria-hidden />} onClick={onShow} className="mt-1 rounded-full">
        {count} new
      </Button>
    </div>
  );
}
