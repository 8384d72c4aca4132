/** `extension` of a built-in channel. Separate from the schemas, so pages load less. */
export const CORE_EXTENSION = 'core';
