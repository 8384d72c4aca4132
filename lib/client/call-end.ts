import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import { queries } from './queries.ts';

/** Resolves when a started call has ended or can no longer be read. */
export async function callEnd(client: QueryClient, id: string): Promise<void> {
  const observer = new QueryObserver(client, queries.call(id));
  let stop = (): void => undefined;
  try {
    await new Promise<void>((resolve) => {
      function update() {
        const { data, isError } = observer.getCurrentResult();
        if (isError || (data !== undefined && data.status !== 'running')) resolve();
      }
      stop = observer.subscribe(update);
      update();
    });
  } finally {
    stop();
  }
}
