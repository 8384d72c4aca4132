'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import type { ReactNode } from 'react';
import { Section } from '#components/ui/Panel.tsx';
import { durationInWords } from '#components/ui/times.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { callsAddress, countInWords, slowerThan } from './hour-words.ts';

const SHOWN = 5;
const LINK = 'rounded-sm underline-offset-2 hover:underline';

/** The tools behind the figures: which fail most, and which are slowest. */
export function ToolRanking({ hour: { failing, slowest, since } }: { hour: LastHour }) {
  return (
    <div className="grid border-b md:grid-cols-2 md:divide-x">
      <Section title="Most failing" className="p-4">
        {failing.length === 0 ? (
          <p className="text-sm text-muted">No call failed.</p>
        ) : (
          <Ranking>
            {failing.slice(0, SHOWN).map((tool) => (
              <Row key={tool.tool} tool={tool.tool}>
                {tool.failed === 0 ? null : (
                  <ListLink href={callsAddress({ tool: tool.tool, status: 'failed', since })} className={LINK}>
                    {countInWords(tool.failed)} failed
                  </ListLink>
                )}
                {tool.timed_out === 0 ? null : (
                  <ListLink href={callsAddress({ tool: tool.tool, status: 'timed_out', since })} className={LINK}>
                    {countInWords(tool.timed_out)} timed out
                  </ListLink>
                )}
                <ListLink href={callsAddress({ tool: tool.tool, since })} className={LINK}>
                  of {countInWords(tool.calls)}
                </ListLink>
              </Row>
            ))}
          </Ranking>
        )}
      </Section>
      <Section title="Slowest" note="95% within" className="p-4 max-md:border-t">
        {slowest.length === 0 ? (
          <p className="text-sm text-muted">No call has ended yet.</p>
        ) : (
          <Ranking>
            {slowest.slice(0, SHOWN).map((tool) => (
              <Row key={tool.tool} tool={tool.tool}>
                <ListLink href={callsAddress({ tool: tool.tool, min_ms: slowerThan(tool.p95_ms ?? 0), since })} className={LINK}>
                  {durationInWords(tool.p95_ms ?? 0)}
                </ListLink>
              </Row>
            ))}
          </Ranking>
        )}
      </Section>
    </div>
  );
}

function Ranking({ children }: { children: ReactNode }) {
  return <ul className="flex flex-col gap-1 text-sm">{children}</ul>;
}

function Row({ tool, children }: { tool: string; children: ReactNode }) {
  return (
    <li className="flex items-baseline gap-3">
      <ListLink href={PAGES.tool(tool)} title={tool} className="min-w-0 flex-1 truncate rounded-sm hover:underline">
        {tool}
      </ListLink>
      <span className="tabular flex gap-2 whitespace-nowrap text-muted">{children}</span>
    </li>
  );
}
