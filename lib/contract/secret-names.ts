const SECRET_ENDINGS = [
  'password',
  'passwd',
  'passphrase',
  'token',
  'secret',
  'apikey',
  'authorization',
  'privatekey',
  'credentials',
  'cookie',
];

/** Whether a value of this name is taken for a secret: `api_key`, `userPassword` and their kin. */
export function isSecretName(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  return SECRET_ENDINGS.some((ending) => plain.endsWith(ending));
}
