'use client';

import { useContext } from 'react';
import { fieldIdOf, IssuesContext } from './form-view.ts';

/** What is wrong with one part of the arguments. */
export function Issues({ pointer }: { pointer: string }) {
  const wrong = useContext(IssuesContext).get(pointer) ?? [];
  return (
    <div id={`${fieldIdOf(pointer)}-issues`} className="empty:hidden">
      {wrong.map((message) => (
        <p key={message} className="foreign text-xs font-medium text-failed">
          {message}
        </p>
      ))}
    </div>
  );
}
