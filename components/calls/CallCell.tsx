import { Duration, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import type { Call } from '#lib/contract/call.ts';
import type { ColumnKey } from './call-columns.ts';
import { argumentsInLine, errorWords, SOURCE_WORDS } from './call-words.ts';

/** What a call has in one column. In a list of two lines some stand elsewhere, and the further ones are left out. */
export function CallCell({ column, call }: { column: Exclude<ColumnKey, 'tool'>; call: Call }) {
  switch (column) {
    case 'time':
      return (
        <span role="cell" className="whitespace-nowrap text-muted @max-xl:order-5 @max-xl:text-right">
          <RelativeTime time={call.started_at} />
        </span>
      );
    case 'status':
      return (
        <span role="cell" className="flex items-center @max-xl:order-2 @max-xl:justify-self-end">
          <StateText state={call.status} />
        </span>
      );
    case 'arguments':
      return (
        <span role="cell" className="truncate @max-xl:order-4">
          <code className="text-xs text-muted">{argumentsInLine(call) || 'no arguments'}</code>
        </span>
      );
    case 'duration':
      return (
        <span role="cell" className="tabular text-right whitespace-nowrap text-muted @max-xl:hidden">
          {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
        </span>
      );
    case 'source':
      return <Further text={call.actor === null ? SOURCE_WORDS[call.source] : `${SOURCE_WORDS[call.source]} · ${call.actor}`} />;
    case 'extension':
      return <Further text={call.extension} />;
    case 'actor':
      return <Further text={call.actor ?? '–'} />;
    case 'revision':
      return (
        <span role="cell" className="tabular text-right text-muted @max-4xl:hidden">
          {call.revision ?? '–'}
        </span>
      );
    case 'error':
      return <Further text={call.error === null ? '–' : `${errorWords(call.error).word}: ${call.error.message}`} />;
  }
}

function Further({ text }: { text: string }) {
  return (
    <span role="cell" className="truncate text-muted [unicode-bidi:plaintext] @max-4xl:hidden" title={text}>
      {text}
    </span>
  );
}
