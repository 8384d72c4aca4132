/** Heartbeat interval and expiry of presence. */
export const PRESENCE_BEAT_MS = 15_000;
export const PRESENCE_LASTS_MS = 40_000;
