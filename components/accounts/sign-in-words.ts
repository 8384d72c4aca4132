const ARRIVALS: Readonly<Record<string, string>> = {
  cancelled: 'You were not signed in: the provider says that it was cancelled. Try again, or use another way.',
  not_invited: 'The provider knows you, but no member here has your e-mail address. Ask an admin of this server for an invitation.',
  email_not_verified: 'The provider has not verified your e-mail address. Verify it there, then try again.',
  inactive: 'Your account here is switched off. An admin of this server can switch it on again.',
  expired: 'It took too long, or was begun in another browser. Try again from here.',
};
const FAILED = 'Signing in by the provider did not work. Try again; if it fails again, the log of the server says why.';

/** What became of a way back from a provider; null where the address says nothing. */
export function arrivalInWords(problem: unknown): string | null {
  if (typeof problem !== 'string' || problem === '') return null;
  return Object.hasOwn(ARRIVALS, problem) ? (ARRIVALS[problem] ?? FAILED) : FAILED;
}
