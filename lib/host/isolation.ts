import { existsSync } from 'node:fs';
import { findNoNetworkPrefix, findParentDeathPrefix } from '#lib/runtime/parent-death.ts';
import type { HostHealth } from './host.ts';

/**
 * How extensions are isolated from the host and each other on this machine: against faults, not against malicious code.
 */
export interface IsolationReport {
  current(): HostHealth['isolation'];
}

type Level = HostHealth['isolation']['levels'][number];

/** A mechanism that must be tried first is off until then. docs/security.md says what each one prevents. */
export function createIsolationReport(): IsolationReport {
  const isLinux = process.platform === 'linux';
  const has = { parentDeath: false, noNetwork: false };
  Promise.all([findParentDeathPrefix(), findNoNetworkPrefix()]).then(
    ([parentDeath, noNetwork]) => Object.assign(has, { parentDeath: parentDeath.length > 0, noNetwork: noNetwork.length > 0 }),
    () => undefined,
  );
  const levels = (): readonly Level[] => [
    level('process', true, 'each extension is a process of its own, with a chosen environment and limits of time', ''),
    level('permissions', true, 'Node enforces EXTENSION_ALLOW; Python and MCP servers are not restricted', ''),
    level(
      'memory',
      isLinux,
      'a process that takes more than EXTENSION_MEMORY_MB is ended, Buffers included',
      "only V8's own limit holds, which does not see Buffers: this is not Linux",
    ),
    level(
      'parent_death',
      has.parentDeath,
      'the kernel ends extensions with the server',
      'extensions exit when they notice that the server is gone, because setpriv --pdeathsig is missing',
    ),
    level(
      'leftovers',
      process.platform !== 'win32' && existsSync('/bin/sh'),
      isLinux
        ? 'what extensions started ends with them, and with the server however that dies'
        : 'process groups of extensions end with them, and with the server however that dies',
      'what extensions started may outlive them: there is no /bin/sh',
    ),
    level(
      'network_namespace',
      has.noNetwork,
      'extensions in Python that were not given net have no network',
      'extensions in Python have the network, whatever EXTENSION_ALLOW says: unshare --user --net does not work here',
    ),
  ];
  return {
    current() {
      const all = levels();
      return { level: 'process and permissions', detail: all.map(({ note }) => note), levels: all };
    },
  };
}

function level(name: Level['name'], isOn: boolean, on: string, off: string): Level {
  return { name, is_on: isOn, note: isOn ? on : off };
}
