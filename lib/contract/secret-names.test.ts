import { describe, expect, it } from 'vitest';
import { isSecretMember, isSecretName, mayNameSecret } from './secret-names.ts';

const SECRETS = `
  password Password db_password passwords password2 pass_word password_confirmation pwd DB_PWD passwd passphrase
  passcode token tokens accessToken access_tokens session_token page_access_token csrfToken secret client_secret secrets
  secret_key secretKey aws_secret_access_key access_key api_key apiKey api_keys APIKEY x-api-key private_key privateKey
  signing_key encryption_key Authorization proxy-authorization credential credentials cookie Set-Cookie launchpad_token
  contextToken trunktoken session_secret connection_string connectionString DB_CONNECTION_STRINGS bearer apiBearer dsn
  SENTRY_DSN databaseDsn dsns
`;

const OTHERS = `
  max_tokens maxTokens max_new_tokens prompt_tokens completion_tokens total_tokens cached_tokens tokenizer token_type
  token_count next_page_token nextPageToken nextpagetoken page_token pageToken NextToken next_token continuation_token
  ContinuationToken next_sync_token pagination_token eos_token aws_access_key_id secretary passwordless author key
  primary_key public_key cookie_policy compass cwd wordsN fieldsn forbearer bearer_type dsn_name connection strings
`;

const each = (names: string): readonly string[] => names.trim().split(/\s+/);

describe('names of secrets', () => {
  it.each(each(SECRETS))('%s is a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(mayNameSecret(`{"${name}":"x"}`)).toBe(true);
  });

  it.each(each(OTHERS))('%s is not a secret', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it.each([
    ['show_password', true, false],
    ['token', null, false],
    ['tokens', 1_500, false],
    ['tokens', ['abc'], true],
    ['password', 123_456, true],
    ['password', '', true],
  ])('%s: %j is a secret: %s', (name, value, isSecret) => {
    expect(isSecretMember(name, value)).toBe(isSecret);
  });
});
