import { LIMITS } from '#lib/contract/limits.ts';

export interface PasswordRule {
  readonly words: string;
  readonly isKept: boolean;
}

/** How a password has to be, as far as it can be told here; whether it is one that everybody takes is for the server to say. */
export function passwordRules(password: string, name: string, email: string): readonly PasswordRule[] {
  const length = Array.from(password).length;
  const told = [name, email, email.split('@')[0] ?? ''].map((each) => each.trim().toLowerCase()).filter((each) => each !== '');
  return [
    {
      words: `${LIMITS.passwordLeast} to ${LIMITS.passwordMost} characters`,
      isKept: length >= LIMITS.passwordLeast && length <= LIMITS.passwordMost,
    },
    { words: 'Not your name or e-mail', isKept: password !== '' && !told.includes(password.trim().toLowerCase()) },
  ];
}
