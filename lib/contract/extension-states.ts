/** What an extension may be. Apart from the shape of an extension, so that a page that only filters loads nothing else. */
export const EXTENSION_KINDS = ['tools', 'tool', 'channel', 'mcp'] as const;
export const EXTENSION_RUNTIMES = ['node', 'python', 'mcp'] as const;
export const EXTENSION_STATES = ['loading', 'ready', 'degraded', 'failed', 'disabled', 'excluded'] as const;
