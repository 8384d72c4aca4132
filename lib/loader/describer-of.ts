import type { DescribeExtension } from '#lib/runtime/runtime.ts';
import type { Candidate } from './build.ts';
import { describeChannel } from './describe-channel.ts';
import { describeExtension } from './describe-extension.ts';
import { describeRun } from './describe-run.ts';

/** Validates what a layout must declare. */
export function describerOf({ id, kind, runtime }: Candidate): DescribeExtension {
  switch (kind) {
    case 'tool':
      return describeRun(id.slice(id.indexOf('/') + 1), runtime);
    case 'channel':
      return describeChannel(runtime);
    case 'tools':
    case 'mcp':
      return describeExtension;
  }
}
