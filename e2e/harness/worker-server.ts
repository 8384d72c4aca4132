import { startBoard } from './board.ts';
import type { Board, BoardOptions } from './board.ts';

/** The worker's current server. */
export interface BoardKeeper {
  /** The server of `owner`; starts it after stopping that of another owner. */
  boardOf(owner: string, options: BoardOptions): Promise<Board>;
  end(): Promise<void>;
}

/**
 * A worker continues from file to file with one browser: starting both takes as long as a short test file. Files share nothing
 * else. Errors of a server are reported with its owner.
 */
export function keepBoards(): BoardKeeper {
  let kept: { readonly owner: string; readonly board: Board } | null = null;

  async function end(): Promise<void> {
    if (kept === null) return;
    const { owner, board } = kept;
    kept = null;
    try {
      await board.remove();
    } catch (error) {
      throw new Error(`The server of ${owner} ended badly.`, { cause: error });
    }
  }

  return {
    async boardOf(owner, options) {
      if (kept?.owner === owner) return kept.board;
      await end();
      const board = await startBoard(options);
      kept = { owner, board };
      return board;
    },
    end,
  };
}
