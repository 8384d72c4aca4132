import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NODE_MISSING, ownNodeFits, pinnedNode } from './node-program.mjs';
import { ROOT, runCommand, say, stopWith, withoutSettings } from './run-command.mjs';

/**
 * Installs the packages of the lock file if needed: a stamp has the hash of the installed lock file. Without a matching stamp
 * npm's record of installed packages is compared, so a manual install is kept. The pinned Node is an optional package, which npm
 * may leave out, so it is verified afterwards.
 */

const LOCK = path.join(ROOT, 'package-lock.json');
const MODULES = path.join(ROOT, 'node_modules');
const STAMP = path.join(MODULES, '.cache', 'switchboard-installed');

export async function installPackages() {
  const lock = readFileSync(LOCK);
  const hash = createHash('sha256').update(lock).digest('hex');
  if (read(STAMP) === hash && pinnedNode() !== null) return;
  if (!isInstalled(lock)) {
    say(existsSync(MODULES) ? 'the lock file changed; installing packages' : 'installing packages (the first time takes a minute)');
    let outcome = await npm(['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']);
    if (!outcome.ok && outcome.output.includes('EUSAGE')) {
      say('the lock file is incomplete for this npm; installing and completing it');
      outcome = await npm(['install', '--no-save', '--include=dev', '--include=optional', '--no-audit', '--no-fund']);
    }
    if (!outcome.ok) stopWith('the installation failed. Fix the errors above (from npm) and start again.', outcome.output);
  }
  if (pinnedNode() === null && !ownNodeFits()) stopWith(NODE_MISSING);
  mkdirSync(path.dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, hash);
}

/** Whether node_modules has every package of the lock file, except those for other platforms. */
function isInstalled(lock) {
  const record = read(path.join(MODULES, '.package-lock.json'));
  if (record === null) return false;
  const installed = JSON.parse(record).packages ?? {};
  return Object.entries(JSON.parse(lock.toString('utf8')).packages).every(
    ([place, wanted]) =>
      place === '' ||
      wanted.optional ||
      wanted.devOptional ||
      (installed[place]?.version === wanted.version && existsSync(path.join(ROOT, place))),
  );
}

/** npm on the current Node, because the one in node_modules is about to be replaced. */
function npm(args) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  const cache = isWritable(path.join(os.homedir(), '.npm')) ? {} : { npm_config_cache: path.join(ROOT, '.cache', 'npm') };
  const env = { ...withoutSettings(), PATH: withoutOwnBin(process.env.PATH ?? ''), npm_config_loglevel: 'error', ...cache };
  return script?.endsWith('.js')
    ? runCommand(node ?? process.execPath, [script, ...args], { env })
    : runCommand(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { env });
}

function withoutOwnBin(list) {
  return list
    .split(path.delimiter)
    .filter((entry) => path.resolve(entry) !== path.join(MODULES, '.bin'))
    .join(path.delimiter);
}

/** The path itself, or its nearest existing parent. */
function isWritable(folder) {
  const there = existsSync(folder) ? folder : path.dirname(folder);
  try {
    accessSync(there, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
