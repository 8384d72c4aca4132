import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** The file that a command means, looked for as a shell does; null when there is none that may be run. */
export function findCommand(command: string, searchPath: string, workingDirectory: string): string | null {
  if (command.includes('/') || command.includes(path.sep)) {
    const file = path.resolve(workingDirectory, command);
    return isProgram(file) ? file : null;
  }
  for (const folder of searchPath.split(path.delimiter)) {
    if (folder === '') continue;
    for (const ending of ENDINGS) {
      const file = path.resolve(workingDirectory, folder, `${command}${ending}`);
      if (isProgram(file)) return file;
    }
  }
  return null;
}

/** Whether a command that is a path leads to a file, be it one that may be run or not. */
export function isThere(command: string, workingDirectory: string): boolean {
  try {
    return command.includes('/') && statSync(path.resolve(workingDirectory, command)).isFile();
  } catch {
    return false;
  }
}

const ENDINGS = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
