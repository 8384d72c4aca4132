/** Extension states. Separate from the schemas, so pages with filters load less. */
export const EXTENSION_KINDS = ['tools', 'tool', 'channel', 'mcp'] as const;
export const EXTENSION_RUNTIMES = ['node', 'python', 'mcp'] as const;
export const EXTENSION_STATES = ['loading', 'ready', 'degraded', 'failed', 'disabled', 'excluded'] as const;

/** `extension` of a built-in channel. */
export const CORE_EXTENSION = 'core';
