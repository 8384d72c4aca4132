import { describe, expect, it } from 'vitest';
import { createKnownSecrets } from './known-secrets.ts';
import { hideSecretTexts, holdsSecretText, secretTextsIn } from './secret-texts.ts';

/** Pseudo-random letters, the same in each run. */
const run = (length: number, letters = 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYz'): string =>
  Array.from({ length }, (_, at) => letters[(at * 7 + 3) % letters.length]).join('');

const R = '[redacted]';
const JWT = `eyJhbGciOiJIUzI1NiJ9.${run(30)}.${run(43)}`;
const PEM_BODY = `${run(64)}\n${run(64)}\n`;

describe('a secret in free text', () => {
  it.each([
    ['password=hunter2', `password=${R}`],
    ['connect host=db password=swordfish user=ada', `connect host=db password=${R} user=ada`],
    ['Password=abc;Server=db', `Password=${R};Server=db`],
    ['PASSWORD=p@ss,w0rd! next', `PASSWORD=${R}! next`],
    ['https://x.example/cb?code=1&access_token=abcdef&state=2', `https://x.example/cb?code=1&access_token=${R}&state=2`],
    ['https://x.example/f?se=2030&sig=abc%2Fdef', `https://x.example/f?se=2030&sig=${R}`],
    ['token: a1b2c3d4e5', `token: ${R}`],
    ['Token: A1B2C3D4E5.', `Token: ${R}.`],
    ['the token is wrong (token: zx81-commodore-64)', `the token is wrong (token: ${R})`],
    ['password: swordfish', `password: ${R}`],
    ['  db_password: swordfish\n  host: db', `  db_password: ${R}\n  host: db`],
    ['client_secret: swordfish', `client_secret: ${R}`],
    ['password: 123456', `password: ${R}`],
    ['password = hunter2', `password = ${R}`],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', `AWS_SECRET_ACCESS_KEY=${R}`],
    ['export API_KEY="two words"', `export API_KEY="${R}"`],
    ["Client(api_key='abc')", `Client(api_key='${R}')`],
    ["{'api_key': 'abc', 'n': 1}", `{'api_key': '${R}', 'n': 1}`],
    ['{ accessToken: "abc", n: 1 }', `{ accessToken: "${R}", n: 1 }`],
    ['{"api_key": "abc", "n": 1}', `{"api_key": "${R}", "n": 1}`],
    ['{"api_key":"a\\"b","n":1}', `{"api_key":"${R}","n":1}`],
    ['{"body":"{\\"api_key\\":\\"abc\\",\\"n\\":1}"}', `{"body":"{\\"api_key\\":\\"${R}\\",\\"n\\":1}"}`],
    ['{"body":"\\npassword=abc\\nnext"}', `{"body":"\\npassword=${R}\\nnext"}`],
    ['{"tokens":["abc","def"],"n":1}', `{"tokens":${R},"n":1}`],
    ['{"credentials": {"user": "ada", "key": "x"}, "n": 1}', `{"credentials": ${R}, "n": 1}`],
    ['os.environ["DB_PASSWORD"] = "abc"', `os.environ["DB_PASSWORD"] = "${R}"`],
    ['"password": "cut in the mid', `"password": "${R}`],
    ['password => "abc"', `password => "${R}"`],
    ['token := "abcdef"', `token := "${R}"`],
    ["b'x' token=b'abcdef'", `b'x' token=b'${R}'`],
    ['Authorization: Bearer abc.def-123', `Authorization: Bearer ${R}`],
    ['Authorization: Bearer swordfish', `Authorization: Bearer ${R}`],
    ['authorization: Basic dXNlcjpwYXNz', `authorization: Basic ${R}`],
    ["headers: { Authorization: 'Bearer abcdef123456' }", `headers: { Authorization: 'Bearer ${R}' }`],
    ['{"authorization":"Token abcdef123456"}', `{"authorization":"Token ${R}"}`],
    ['curl -H "Authorization: Bearer abcdef123456" https://x', `curl -H "Authorization: Bearer ${R}" https://x`],
    ['Authorization: Digest username="ada", response="6629fae4"\nHost: x', `Authorization: Digest ${R}\nHost: x`],
    ['X-Api-Key: a1b2c3d4', `X-Api-Key: ${R}`],
    ['Cookie: sid=abc; theme=dark\nHost: x', `Cookie: ${R}\nHost: x`],
    ['sent with bearer 0123456789abcdef.', `sent with bearer ${R}.`],
    ['postgres://user:hunter2@host/db', `postgres://user:${R}@host/db`],
    ['at https://me:p%40ss@example.com:8443/a?b=c, or', `at https://me:${R}@example.com:8443/a?b=c, or`],
    ['redis://:only-a-password@cache:6379', `redis://:${R}@cache:6379`],
    ['MONGODB+SRV://a:b:c@x "amqp://q:w@y"', `MONGODB+SRV://a:${R}@x "amqp://q:${R}@y"`],
    ['https://x:a@b@host/', `https://x:${R}@host/`],
    ['{"url":"https:\\/\\/me:hunter2@host\\/x"}', `{"url":"https:\\/\\/me:${R}@host\\/x"}`],
    [`https://${run(32)}@host/x`, `https://${R}@host/x`],
    ['mysql --password hunter2 -h db', `mysql --password ${R} -h db`],
    ['tool --api-key=abc --verbose', `tool --api-key=${R} --verbose`],
    ["tool --token 'two words'", `tool --token '${R}'`],
    ['curl -u ada:hunter2 https://x', `curl -u ada:${R} https://x`],
    [
      `-----BEGIN RSA PRIVATE KEY-----\n${PEM_BODY}-----END RSA PRIVATE KEY-----\nnext`,
      `-----BEGIN RSA PRIVATE KEY-----${R}-----END RSA PRIVATE KEY-----\nnext`,
    ],
    [`a -----BEGIN OPENSSH PRIVATE KEY-----\\n${run(64)}`, `a -----BEGIN OPENSSH PRIVATE KEY-----${R}`],
    [`-----BEGIN PGP PRIVATE KEY BLOCK-----\n${PEM_BODY}`, `-----BEGIN PGP PRIVATE KEY BLOCK-----${R}`],
    [`used sk-${run(48)}.`, `used ${R}.`],
    [`sk-proj-${run(40)} sk-ant-api03-${run(40)}`, `${R} ${R}`],
    [`ghp_${run(36)},gho_${run(36)}`, `${R},${R}`],
    [`github_pat_${run(22)}_${run(59)}`, R],
    ['AKIAIOSFODNN7EXAMPLE', R],
    [`(xoxb-123456789012-${run(24)})`, `(${R})`],
    [`xoxp-${run(40)}`, R],
    [`glpat-${run(20)}`, R],
    [`AIza${run(35)}`, R],
    [JWT, R],
    [`sk_live_${run(24)}`, R],
    [`npm_${run(36)}`, R],
    [`hf_${run(34)}`, R],
    [`SG.${run(22)}.${run(43)}`, R],
    [`https://hooks.slack.com/services/T0001/B0001/${run(24)}`, `https://${R}`],
    [`https://api.telegram.org/bot123456789:AA${run(33)}/getMe`, `https://api.telegram.org/bot123456789:${R}/getMe`],
  ])('is hidden: %s', (text, hidden) => {
    expect(hideSecretTexts(text)).toBe(hidden);
    expect(hideSecretTexts(hidden)).toBe(hidden);
    expect(holdsSecretText(text)).toBe(true);
  });

  it.each([
    'Token: the smallest unit of a text that a model reads.',
    'The password must have 8 characters or more.',
    'Password: at least 8 characters, one of them a digit',
    'password: required',
    'Invalid token: expired',
    'Unexpected token: identifier',
    'SyntaxError: Unexpected token \'}\', ..."a":1,}" is not valid JSON',
    'SyntaxError: Unexpected token: "}"',
    'Secret: be kind to your readers',
    'authorization: see RFC 9110, section 11',
    'Authorization: Bearer tokens are sent in a header',
    'The bearer of this letter; a bearer token',
    'Cookie: a small file that a browser keeps',
    'tokens: 1500, max_tokens: 4096, prompt_tokens=12',
    '{"max_tokens":1500,"tokens":1500,"next_page_token":"abc"}',
    'password=null token=None secret: undefined api_key=true',
    'password=*** token=[redacted] api_key=<your key> secret=${SECRET} password=$DB_PASSWORD token={{ token }}',
    'login(user=user, password=password, token=self._token, api_key=settings.api_key)',
    'const token = process.env.TOKEN;',
    'token = await readToken(file)',
    "api_key = os.environ['API_KEY']",
    'def login(user: str, password: str, token: Optional[str] = None): ...',
    'interface Login { user: string; password: string; token?: string }',
    '{"password":{"type":"string","writeOnly":true}}',
    "parameters: { password: { type: 'string' }, token: { type: 'string' } }",
    'if (token === expected) return; if (password != other) throw new Error("no");',
    'token::Kind::Comma, std::token::x',
    'the --token option, or --password <password>',
    'PWD=/home/ada OLDPWD=/srv/app pwd: /tmp',
    'https://host:8080/a@b https://me@host/ mailto:a:b@c https://host/x:y@z ssh://host and a:b@c https://u:@host',
    'sk-learn is not scikit-learn-extra-and-more; task-force-of-seventeen-people',
    'risk-0123456789abcdef0123 xgh_0123456789abcdef0123',
    '-----BEGIN CERTIFICATE-----\nMIIB0123456789\n-----END CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----\nMIIB0123456789\n-----END PUBLIC KEY-----',
    'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, id 0197a8f2-1234-7abc-8def-0123456789ab',
    'code: 200, key: value, description: a tool; version=1.2.3; encoding: utf-8; node: v26.10.0; compass: north',
    'GET /tokens/42?page=2&sort=key&signature=false 200 in 12 ms',
    'Ask for the secret ingredient: cinnamon. Key: the sooner, the better',
    '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}',
    '天气:今天很好 token：词元 пароль: нужен',
  ])('is not found in: %s', (text) => {
    expect(hideSecretTexts(text)).toBe(text);
    expect(holdsSecretText(text)).toBe(false);
  });

  it('is found raw and decoded, but not as the name of the user', () => {
    expect(secretTextsIn('a://u:p%40ss@h b://root:root@h c://u:%zz@h d://u:[redacted]@h password=hunter2')).toEqual([
      'p%40ss',
      'p@ss',
      '%zz',
      'hunter2',
    ]);
  });

  // Quadratic cost would take minutes here.
  it.each([
    'password=',
    'token:',
    '"token":"',
    '"token":',
    '"tokens":[',
    '"token":{',
    '\\"token\\":\\"',
    'password:`',
    'a.',
    'a-',
    '1.1',
    ',a',
    'x://',
    'a://b:c',
    'a://b:c@',
    '-----BEGIN PRIVATE KEY-----',
    'sk-',
    'eyJabcdefghij.',
    '--token ',
    '--token "',
    ' -u a:b',
    'Bearer ',
    'Authorization: Digest ',
    'Authorization: Bearer ',
    'Cookie: a=',
    'cookie:',
    '\\',
    ' :',
    '=',
    ' ',
    '"',
    'password=a.',
    'password=a!',
  ])('is searched in a quarter of a mebibyte of %s', (part) => {
    const text = part.repeat(262_144 / part.length);
    const hidden = hideSecretTexts(text);
    expect(hideSecretTexts(hidden).length).toBeGreaterThan(0);
  });
});

describe('a secret that the host knows', () => {
  const SECRET = 'plain "w\\rds" of/än admin+?';
  const known = createKnownSecrets([SECRET, 'abc-def-123', 'short', `${run(80)}!`, 'one line of a key\nanother line of a key']);
  const bytes = (text: string): string => Buffer.from(text).toString('base64');

  it.each([
    ['as it is', `<${SECRET}>`],
    ['in JSON', JSON.stringify({ a: SECRET })],
    ['in JSON of letters that are ASCII', JSON.stringify(SECRET).replace('ä', '\\u00e4')],
    ['in JSON within JSON', JSON.stringify({ a: JSON.stringify({ b: 'abc-def-123' }) })],
    ['in a URL', `https://x/?q=${encodeURIComponent(SECRET)}&z=1`],
    ['in a form', `q=${new URLSearchParams({ q: SECRET }).toString().slice(2)}&z=1`],
    ['in base64', bytes(SECRET)],
    ['in base64 behind a user', `Basic ${bytes(`a:${SECRET}`)}`],
    ['in base64 behind another user', `Basic ${bytes(`ad:${SECRET}`)} and ${bytes(`ada:${SECRET}:more`)}`],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
    ['by a line of it', 'printed: another line of a key'],
    ['several times', 'abc-def-123abc-def-123 abc-def-123'],
    ['cut, if it is long', `x ${run(70)}`],
  ])('is hidden %s', (_, text) => {
    const hidden = hideSecretTexts(text, known);
    expect(hidden).toContain(R);
    for (const part of ['w\\rds', 'w\\\\rds', 'admin', 'abc-def', 'def-123', 'another line', run(64), bytes(SECRET).slice(6, 20)])
      expect(hidden).not.toContain(part);
  });

  it('is not searched when it is so short that it occurs by chance', () => {
    expect(hideSecretTexts('a short text', known)).toBe('a short text');
  });

  it('is hidden when it was added later, and stays hidden', () => {
    const later = createKnownSecrets();
    expect(later.rangesIn('first-value second-value')).toEqual([]);
    later.learn(['first-value']);
    later.learn(['second-value']);
    expect(hideSecretTexts('first-value second-value', later)).toBe(`${R} ${R}`);
    expect([later.isOne('first-value'), later.isOne('first')]).toEqual([true, false]);
  });

  it('is found among very many, of which the oldest are dropped', () => {
    const many = createKnownSecrets(Array.from({ length: 2_000 }, (_, at) => `value-number-${at}`));
    expect(hideSecretTexts('value-number-1999, value-number-1600, nothing', many)).toBe(`${R}, ${R}, nothing`);
    expect(hideSecretTexts('value-number-3.', many)).toBe('value-number-3.');
  });
});
