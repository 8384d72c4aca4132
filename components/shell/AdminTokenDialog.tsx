'use client';

import { useEffect, useState } from 'react';
import { person } from '#lib/client/person.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const loadQuestion = async () => (await import('./AdminTokenQuestion.tsx')).AdminTokenQuestion;
const AdminTokenQuestion = lazyPart(loadQuestion);

export interface Question {
  /** The one that was given is not the right one. */
  readonly wrong: boolean;
  /** What it is needed for, in a sentence. */
  readonly missing: string;
  readonly answer: (token: string | null) => void;
}

const ANYTHING = 'Changing what runs needs the admin token of this server.';

/** Asks for the admin token when the server wants one; what asks is loaded then, and stays for the next time. */
export function AdminTokenDialog() {
  const [question, setQuestion] = useState<Question | null>(null);

  useEffect(
    () => person.onTokenWanted((wrong, missing = ANYTHING) => new Promise((resolve) => setQuestion({ wrong, missing, answer: resolve }))),
    [],
  );

  return question === null ? null : <AdminTokenQuestion question={question} />;
}
