/** Sets TMPDIR once for this process and its children; the folder is deleted at exit. */
export function chooseTestFolder(): void;
