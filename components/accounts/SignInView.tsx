'use client';

import type { SessionView } from '#lib/contract/account.ts';
import { EntryFrame } from './EntryFrame.tsx';
import { SignInForm } from './SignInForm.tsx';
import { arrivalInWords } from './sign-in-words.ts';

export interface SignInViewProps {
  ways: SessionView['sign_in'];
  needsFirstAdmin: boolean;
  /** A path of this server. */
  to: string;
  /** The code of what a provider's way back ended with, as the address has it. */
  problem: unknown;
}

/** The page where people sign in, and from which they go on to where they wanted to be. */
export function SignInView({ ways, needsFirstAdmin, to, problem }: SignInViewProps) {
  if (needsFirstAdmin)
    return (
      <EntryFrame title="Nobody has joined yet">
        <p>
          The server wrote a link on its output when it started: “Open …/join#… to become the first admin of this server”. Open that link,
          and then invite the others. It works for 24 hours; a start of the server makes a new one.
        </p>
      </EntryFrame>
    );
  return (
    <EntryFrame title="Sign in" note={to === '/' ? undefined : <WhereTo to={to} />}>
      <SignInForm
        ways={ways}
        to={to}
        problem={arrivalInWords(problem)}
        // A page of its own, so that what is shown is rendered for who has signed in.
        onSignedIn={() => window.location.replace(to)}
      />
      <p className="border-t pt-4 text-sm text-muted">No account, or the password is lost? An admin of this server can send you a link.</p>
    </EntryFrame>
  );
}

function WhereTo({ to }: { to: string }) {
  const [path = to] = to.split('?');
  return (
    <>
      and go on to <code className="break-all">{path}</code>
    </>
  );
}
