'use client';

import { useEffect, useState } from 'react';
import { person } from '#lib/client/person.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const loadQuestion = async () => (await import('./AdminTokenQuestion.tsx')).AdminTokenQuestion;
const AdminTokenQuestion = lazyPart(loadQuestion);

export interface Question {
  readonly wrong: boolean;
  readonly missing: string;
  readonly answer: (token: string | null) => void;
}

const ANYTHING = 'This change needs the admin token of this server.';

export function AdminTokenDialog() {
  const [question, setQuestion] = useState<Question | null>(null);

  useEffect(
    () => person.onTokenWanted((wrong, missing = ANYTHING) => new Promise((resolve) => setQuestion({ wrong, missing, answer: resolve }))),
    [],
  );

  return question === null ? null : <AdminTokenQuestion question={question} />;
}
