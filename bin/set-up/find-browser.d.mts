/** Path of the executable. */
export function findBrowser(): Promise<string>;
