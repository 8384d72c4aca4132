/** Puts the Python that a version manager finds first on PATH, for this process and its children. */
export function findTestPython(): void;
export function compilePythonProgram(): void;
