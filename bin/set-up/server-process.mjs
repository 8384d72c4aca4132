/**
 * With a larger young generation V8 starts marking the old generation too early: a 50 MB heap was marked after every fifth
 * save, which tripled its duration (docs/performance.md).
 */
export const SERVER_OPTIONS = ['--max-semi-space-size=8', '--enable-source-maps'];

/**
 * glibc raises this threshold after the first freed large buffer and then keeps up to 32 MB for reuse. A fixed value makes it
 * return freed buffers (docs/performance.md).
 */
export const SERVER_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '262144', NEXT_TELEMETRY_DISABLED: '1' };
