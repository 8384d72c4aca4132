import { Button } from './Button.tsx';

interface ShowOlderProps {
  query: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => unknown };
  /** What is older: "calls". */
  what: string;
  size?: 'sm' | 'md';
}

/** Below a list: reads its next page. */
export function ShowOlder({ query, what, size = 'md' }: ShowOlderProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className="flex justify-center border-t p-3">
      <Button size={size} pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show older {what}
      </Button>
    </div>
  );
}
