import { fileURLToPath } from 'node:url';

/** One line of a stack, in source positions (the process runs with source maps). */
export interface Frame {
  readonly text: string;
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
}

const POSITION = /^(?<place>.*?):(?<line>\d+):(?<column>\d+)\)?$/;
const FRAMES_KEPT = 30;

export function parseFrames(stack: string): readonly Frame[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map(parseFrame);
}

function parseFrame(line: string): Frame {
  const text = line.trim();
  const opened = text.lastIndexOf('(');
  const place = opened === -1 ? text.replace(/^at (?:async )?/, '') : text.slice(opened + 1);
  const groups = POSITION.exec(place)?.groups;
  const file = groups ? toPath(groups['place'] ?? '') : null;
  return { text, file, line: Number(groups?.['line'] ?? 0), column: Number(groups?.['column'] ?? 0) };
}

function toPath(place: string): string | null {
  if (place.startsWith('file://')) {
    try {
      return fileURLToPath(place);
    } catch {
      return null;
    }
  }
  return place.startsWith('/') || /^[A-Za-z]:[\\/]/.test(place) ? place : null;
}

/** Whether a frame is in the extension's own sources: in its folders and not in a package. */
export function isOwnFrame(frame: Frame, ownFolders: readonly string[]): boolean {
  const { file } = frame;
  if (file === null || /[\\/]node_modules[\\/]/.test(file)) return false;
  return ownFolders.some((folder) => file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`));
}

/**
 * The stack for its author: own frames first, then packages, without frames of Node and of this program. `first` is the location of
 * the fault, null if no frame is the extension's own.
 */
export function readStack(
  error: unknown,
  ownFolders: readonly string[],
  ownProgram: string,
): { readonly text: string | null; readonly first: Frame | null } {
  const stack = stackOf(error);
  if (stack === null) return { text: null, first: null };
  const frames = parseFrames(stack).filter((frame) => frame.file !== null && frame.file !== ownProgram);
  const own = frames.filter((frame) => isOwnFrame(frame, ownFolders));
  const others = frames.filter((frame) => !isOwnFrame(frame, ownFolders));
  const lines = [...own, ...others].slice(0, FRAMES_KEPT).map((frame) => `    ${frame.text}`);
  const own0 = own[0];
  const text = lines.length === 0 ? null : `${headOf(stack)}\n${lines.join('\n')}`;
  return { text, first: own0 ?? null };
}

function stackOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  try {
    const stack: unknown = Reflect.get(error, 'stack');
    return typeof stack === 'string' ? stack.slice(0, 65_536) : null;
  } catch {
    return null;
  }
}

function headOf(stack: string): string {
  const at = stack.search(/\n\s+at /);
  return (at === -1 ? stack : stack.slice(0, at)).slice(0, 2_000);
}
