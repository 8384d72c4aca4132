import path from 'node:path';
import { startBoard } from './board.ts';
import type { Board, BoardOptions } from './board.ts';

/** The worker's servers. */
export interface BoardKeeper {
  /** The server of `owner`; starts it after stopping that of another file. Those with a name stay, for the next file that shares them. */
  boardOf(owner: string, options: BoardOptions): Promise<Board>;
  end(): Promise<void>;
}

/**
 * A worker continues from file to file with one browser: starting both takes as long as a short test file. Files share nothing
 * else, unless they name the owner of their server. Errors of a server are reported with its owner.
 */
export function keepBoards(): BoardKeeper {
  const kept = new Map<string, Board>();

  async function stop(owners: readonly string[]): Promise<void> {
    const ends = await Promise.allSettled(
      owners.map(async (owner) => {
        const board = kept.get(owner);
        kept.delete(owner);
        await board?.remove().catch((cause: unknown) => {
          throw new Error(`The server of ${owner} ended badly.`, { cause });
        });
      }),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  return {
    async boardOf(owner, options) {
      const known = kept.get(owner);
      if (known !== undefined) return known;
      await stop([...kept.keys()].filter((other) => path.isAbsolute(other)));
      const board = await startBoard(options);
      kept.set(owner, board);
      return board;
    },
    end: () => stop([...kept.keys()]),
  };
}
