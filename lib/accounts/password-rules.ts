import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';

/** Common passwords in lower case, also weak with digits appended or repeated. */
const COMMON_PASSWORDS: readonly string[] = [
  '0123456789',
  '0987654321',
  '1234567890',
  '12345678910',
  '123456789',
  '12345678',
  '1234567',
  '123456',
  '123123',
  '987654321',
  '1q2w3e4r5t6y',
  '1q2w3e4r5t',
  '1q2w3e4r',
  '1qaz2wsx3edc',
  '1qaz2wsx',
  'abc',
  'abcdef',
  'abcdefgh',
  'abcdefghijkl',
  'access',
  'admin',
  'administrator',
  'asdfghjkl',
  'asdfgh',
  'baseball',
  'batman',
  'changeme',
  'changeit',
  'charlie',
  'computer',
  'correcthorsebatterystaple',
  'default',
  'donald',
  'dragon',
  'football',
  'freedom',
  'google',
  'guest',
  'hello',
  'helloworld',
  'iloveyou',
  'internet',
  'letmein',
  'login',
  'login123',
  'master',
  'michael',
  'monkey',
  'mustang',
  'mypassword',
  'ninja',
  'p4ssw0rd',
  'pa55word',
  'passw0rd',
  'password',
  'passwort',
  'motdepasse',
  'contraseña',
  'princess',
  'qazwsx',
  'qazwsxedc',
  'qwerty',
  'qwertyuiop',
  'qwertz',
  'qwertzuiop',
  'azerty',
  'azertyuiop',
  'zxcvbnm',
  'root',
  'secret',
  'shadow',
  'solo',
  'starwars',
  'sunshine',
  'superman',
  'switchboard',
  'system',
  'test',
  'testing',
  'trustno1',
  'user',
  'welcome',
  'whatever',
];

const FEW_DIGITS = /^\d{0,4}$/;
const LONGEST_FIRST = COMMON_PASSWORDS.toSorted((one, other) => other.length - one.length);

/** Requires length, not character classes. Rejects common passwords and those made of the name or address. */
export function checkPassword(password: string, person: { readonly name: string; readonly email: string }): Result<null> {
  const { length } = Array.from(password);
  if (length < LIMITS.passwordLeast)
    return refuse(
      'password_weak',
      `The password has ${length} characters; use at least ${LIMITS.passwordLeast}. A few words in a row are easy to keep in mind.`,
    );
  if (length > LIMITS.passwordMost)
    return refuse('password_weak', `The password has ${length} characters; use at most ${LIMITS.passwordMost}.`);
  const plain = plainOf(password);
  const [account = ''] = person.email.split('@');
  if ([person.name, person.email, account].some((known) => known !== '' && isMadeOf(plain, plainOf(known))))
    return refuse('password_weak', 'The password contains only your name or e-mail address. Choose another one.');
  // Of signs and pictures almost nothing is left.
  const kinds = new Set(plain.length < LIMITS.passwordLeast / 2 ? password : plain);
  if (kinds.size < 4 || isMadeOfCommon(plain))
    return refuse('password_weak', 'The password is too common. Choose another one, such as a few words in a row.');
  return ok(null);
}

/** Ignores case, spaces and punctuation. */
function plainOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The word alone, repeated, or followed by a few digits. */
function isMadeOf(password: string, word: string): boolean {
  return word.length >= 3 && password.includes(word) && FEW_DIGITS.test(password.replaceAll(word, ''));
}

/** Consists only of common words. */
function isMadeOfCommon(password: string): boolean {
  const rest = LONGEST_FIRST.reduce((left, word) => left.replaceAll(word, ''), password);
  return rest !== password && FEW_DIGITS.test(rest);
}
