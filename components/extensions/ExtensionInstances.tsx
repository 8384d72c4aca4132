'use client';

import { Lightbulb } from 'lucide-react';
import Link from 'next/link';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import type { ExtensionInstance } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';

type Served = Pick<ExtensionInstance, 'state' | 'serving_revision'>;

export function areDifferent(instances: readonly Served[]): boolean {
  return new Set(instances.map(({ state, serving_revision: serving }) => `${state} ${serving}`)).size > 1;
}

/** "2 of 3 serve revision 7": the newest of the revisions that most instances serve. */
export function instancesInWords(instances: readonly Served[]): string {
  const counts = new Map<number, number>();
  for (const { serving_revision: serving } of instances) if (serving !== null) counts.set(serving, (counts.get(serving) ?? 0) + 1);
  const [most] = [...counts].toSorted((one, other) => other[1] - one[1] || other[0] - one[0]);
  if (most === undefined) return `none of ${instances.length} serves it`;
  const [revision, count] = most;
  return count === instances.length
    ? `all ${count} serve revision ${revision}`
    : `${count} of ${instances.length} serve revision ${revision}`;
}

/** Shown while instances differ, such as during a load or where one lacks an interpreter. */
export function DifferentInstances({ instances }: { instances: readonly ExtensionInstance[] }) {
  return (
    <Panel title="Instances differ" note={instancesInWords(instances)} flush>
      <ul className="divide-y text-sm">
        {instances.map((instance) => (
          <li key={instance.id} className="flex min-w-0 flex-col gap-1 px-4 py-2">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
              <Link href={PAGES.callsOfInstance(instance.id)} className="min-w-0 rounded-sm break-all underline underline-offset-2">
                <code>{instance.id}</code>
              </Link>
              <StateText state={instance.state} />
              <span className="tabular text-muted">
                {instance.serving_revision === null ? 'not serving' : `serves revision ${instance.serving_revision}`}
              </span>
            </span>
            {instance.failure === null ? null : (
              <>
                <Link
                  href={PAGES.failure(instance.failure.group_id)}
                  className="foreign w-fit max-w-full rounded-sm text-failed hover:underline"
                >
                  <CodeText text={instance.failure.error} />
                </Link>
                <span className="foreign flex gap-2 text-muted">
                  <Lightbulb aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
                  <span className="min-w-0">
                    <CodeText text={instance.failure.hint} />
                  </span>
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
