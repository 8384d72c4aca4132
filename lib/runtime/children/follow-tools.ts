/**
 * Reads the list of a server's tools again whenever the server says that it changed, at any moment of its life.
 *
 * What can go wrong: the server says so while the tools are still being loaded (remembered until `begin`), while the list is
 * read (it is read once more), or at every reading of the list (then it is read more and more seldom); the list cannot be read
 * (tried again, and logged).
 */
export interface ToolFollower {
  /** The list changed, or may have. */
  notice(): void;
  /** What was noticed until now is in a list that is read from here on. */
  forget(): void;
  /** From now on the list is read as soon as something is noticed, also what was noticed before. */
  begin(): void;
}

export interface ToolFollowerOptions {
  /** Reads the list and takes it over. Resolves to whether it is another one. */
  readonly read: () => Promise<boolean>;
  /** The list could not be read. */
  readonly onFailure: (error: unknown, nextMs: number) => void;
}

const GATHER_MS = 20;
const FIRST_RETRY_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export function createToolFollower({ read, onFailure }: ToolFollowerOptions): ToolFollower {
  let isStale = false;
  let hasBegun = false;
  let isReading = false;
  let timer: NodeJS.Timeout | null = null;
  let failures = 0;
  /** Notices in a row that brought nothing new, each right after the one before. */
  let idleNotices = 0;
  let lastReadAt = Number.NEGATIVE_INFINITY;

  const waitMs = (): number =>
    Math.min(LONGEST_WAIT_MS, failures > 0 ? FIRST_RETRY_MS * 2 ** (failures - 1) : GATHER_MS * 2 ** idleNotices);

  const look = async (): Promise<void> => {
    timer = null;
    isReading = true;
    isStale = false;
    try {
      idleNotices = (await read()) ? 0 : idleNotices + 1;
      failures = 0;
    } catch (error) {
      isStale = true;
      failures += 1;
      onFailure(error, waitMs());
    }
    isReading = false;
    lastReadAt = performance.now();
    schedule();
  };

  const schedule = (): void => {
    if (!isStale || !hasBegun || isReading || timer !== null) return;
    timer = setTimeout(() => void look(), waitMs()).unref();
  };

  return {
    notice() {
      isStale = true;
      if (performance.now() - lastReadAt > 2 * waitMs()) idleNotices = 0;
      if (failures > 0 && timer !== null) {
        clearTimeout(timer);
        timer = null;
        failures = 0;
      }
      schedule();
    },
    forget() {
      isStale = false;
    },
    begin() {
      hasBegun = true;
      schedule();
    },
  };
}
