import { startBoard } from './board.ts';
import type { Board, BoardOptions } from './board.ts';

/** The one board that a worker has at a time. */
export interface BoardKeeper {
  /** The board of `owner`, started when the last one asked for was another's, which ends before. */
  boardOf(owner: string, options: BoardOptions): Promise<Board>;
  end(): Promise<void>;
}

/**
 * A worker goes on from file to file, so that its browser is started once: a browser and a worker take as long as the tests of a
 * short file. Files share nothing but them. What a server complained of is told with the name of whose it was.
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
      throw new Error(`The board of ${owner} ended badly.`, { cause: error });
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
