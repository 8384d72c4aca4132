/**
 * The variable that marks every process of an extension. It is in the start environment of the process (`/proc/<pid>/environ`),
 * which its children inherit. Its value is `<data folder>.<host>.<process>.`, so a sweep can cover one data folder or one process.
 */
export const OWNER_VARIABLE = 'SWITCHBOARD_OWNER';
