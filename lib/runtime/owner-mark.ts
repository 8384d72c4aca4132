/**
 * The variable that marks every process which comes from an extension: it stands in what the process was started with, where
 * the system shows it (`/proc/<pid>/environ`), and what runs in the process passes it on to whatever it starts.
 * Its value is `<data folder>.<host>.<process>.`, so that a sweep may be as wide as one data folder or as narrow as one process.
 */
export const OWNER_MARK = 'SWITCHBOARD_OWNER';
