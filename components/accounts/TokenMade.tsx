'use client';

import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import type { MadeToken } from '#lib/contract/token.ts';
import { SecretOnce } from './SecretOnce.tsx';
import { tokenSnippets } from './token-snippets.ts';
import { toolsInWords } from './token-words.ts';

/** The token itself, this once, and what to do with it. */
export function TokenMade({ made }: { made: MadeToken }) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SecretOnce text={made.token} label="Token" copyLabel="Copy the token" />
      <p className="text-sm text-muted">
        {ROLE_WORDS[made.role].name}
        {made.role === 'viewer' ? '' : `, ${toolsInWords(made.tools)}`}; it runs out <RelativeTime time={made.expires_at} />.
      </p>
      <Tabs
        label="How it is used"
        tabs={tokenSnippets(window.location.origin, made.token).map(({ id, label, where, text, language }) => ({
          id,
          label,
          content: (
            <div className="flex min-h-40 flex-col gap-2 pt-3">
              <p className="text-sm text-muted">{where}</p>
              <CodeBlock code={text} language={language} label={`For ${label}`} copyLabel={`Copy for ${label}`} wrap />
            </div>
          ),
        }))}
      />
    </div>
  );
}
