/** How many of the newest calls the overview looks at. Server and browser must ask for the same number. */
export const OVERVIEW_CALLS = 150;
