/** What stands as `extension` of a core channel. Apart from the shapes of channels, so that a page that shows them loads nothing else. */
export const CORE_EXTENSION = 'core';
