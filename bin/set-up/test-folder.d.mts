/** Names the folder for temporary files to this process and to all that it starts, once; gone when this process ends. */
export function chooseTestFolder(): void;
