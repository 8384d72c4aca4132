import { Facts } from '#components/ui/Panel.tsx';
import type { FailureGroupDetail } from '#lib/contract/failure-group.ts';

const RUNTIMES: Readonly<Record<string, string>> = { node: 'Node.js', python: 'Python', mcp: 'MCP server' };

/** What it ran on, which packages it imports, and which variables it saw. */
export function EnvironmentFacts({ group }: { group: FailureGroupDetail }) {
  const { environment } = group;
  if (environment === null) return <p className="text-muted">Nothing is known of it: there was nothing yet that could run.</p>;
  const { runtime, version, variables, permissions, packages = {} } = environment;
  const installed = Object.entries(packages).map(([name, which]) => `${name} ${which}`);
  const facts = [
    { name: 'Runtime', value: `${RUNTIMES[runtime] ?? runtime}${version === null ? '' : ` ${version}`}` },
    ...(runtime === 'node' ? [{ name: 'Permissions', value: permissions.length === 0 ? 'none' : permissions.join(', ') }] : []),
    ...(installed.length === 0 ? [] : [{ name: 'Packages', value: <span className="break-words">{installed.join(', ')}</span> }]),
    {
      name: 'Variables',
      value:
        variables.length === 0 ? (
          'none'
        ) : (
          <details>
            <summary className="w-fit rounded-sm">{variables.length === 1 ? 'one' : `${variables.length}, by name`}</summary>
            <p className="mt-1 font-mono text-xs leading-5 break-words text-muted">{variables.join('  ')}</p>
          </details>
        ),
    },
  ];
  return <Facts items={facts} />;
}
