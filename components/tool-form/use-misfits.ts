'use client';

import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { drafts } from './drafts.ts';
import { stillTrue } from './issues.ts';
import type { Issue } from './issues.ts';
import { createPayloadCheck } from './payload-check.ts';
import type { Payload } from './payload.ts';
import { valueAt } from './pointer.ts';

export interface Misfits {
  /** What was typed for an older form of the tool and does not fit the present one. It is still in the payload. */
  readonly list: readonly Issue[];
  readonly dismiss: () => void;
}

interface Found {
  readonly issues: readonly Issue[];
  readonly of: unknown;
}

const NOTHING: Found = { issues: [], of: undefined };

/** Compares what was typed with the tool's arguments when these have changed since, be it now or while the page was away. */
export function useMisfits(tool: string, parameters: Readonly<Record<string, unknown>>, payload: Payload, isUntouched: boolean): Misfits {
  const [found, setFound] = useState<Found>(NOTHING);
  const schema = JSON.stringify(parameters);

  const payloadNow = useEffectEvent(() => (isUntouched ? null : payload));

  const settle = useCallback(() => {
    drafts.write(tool, 'schema', schema);
    setFound(NOTHING);
  }, [tool, schema]);

  useEffect(() => {
    const typed = payloadNow();
    const before = drafts.read(tool, 'schema');
    if (before === null || before === schema || typed === null) {
      drafts.write(tool, 'schema', schema);
      return undefined;
    }
    const check = createPayloadCheck(parameters);
    let wanted = true;
    check.check(typed).then(
      (issues) => {
        if (!wanted) return;
        // What is missing can be seen in the form; here it is about what is there.
        const about = (issues ?? []).filter((issue) => issue.path !== '' && valueAt(typed, issue.path) !== undefined);
        if (about.length === 0) drafts.write(tool, 'schema', schema);
        else setFound({ issues: about, of: typed });
      },
      () => undefined,
    );
    return () => {
      wanted = false;
      check.close();
    };
  }, [tool, schema, parameters]);

  return { list: stillTrue(found.issues, found.of, payload), dismiss: settle };
}
