import { ArrowUp } from 'lucide-react';
import { Button } from './Button.tsx';

/** Over the top of a list: how many new rows wait, and a way to see them. It takes no room, so that nothing moves. */
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
