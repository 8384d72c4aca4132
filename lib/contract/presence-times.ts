/** How often a page says that it is there, and for how long that holds. */
export const PRESENCE_BEAT_MS = 15_000;
export const PRESENCE_LASTS_MS = 40_000;
