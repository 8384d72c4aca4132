import { adminLinkCommand } from './admin-link.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { callCommand } from './call.ts';
import { checkCommand } from './check.ts';
import type { Command } from './command.ts';
import { databaseCommand } from './database.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { instancesCommand } from './instances.ts';
import { newCommand } from './new.ts';
import { probeCommand } from './probe.ts';
import { startCommand } from './start.ts';
import { tailCommand } from './tail.ts';
import { testCommand } from './test.ts';

/** Ordered for newcomers. docs/cli.md describes each. */
export const COMMANDS: readonly Command[] = [
  startCommand,
  newCommand,
  importCommand,
  checkCommand,
  callCommand,
  testCommand,
  probeCommand,
  tailCommand,
  exportCommand,
  instancesCommand,
  backupCommand,
  restoreCommand,
  databaseCommand,
  adminLinkCommand,
  doctorCommand,
];
