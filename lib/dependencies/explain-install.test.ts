import { describe, expect, it } from 'vitest';
import { explainInstall } from './explain-install.ts';
import { installerEnvironment } from './run-installer.ts';
import { satisfies } from './python-installer.ts';

describe('the explanation of a failed install', () => {
  it.each([
    ['python', 'ERROR: No matching distribution found for nope==9', 'No version matches “nope==9”'],
    [
      'python',
      'WARNING: Retrying … Failed to establish a new connection\nERROR: No matching distribution found for a',
      'cannot be reached',
    ],
    ['python', 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE', 'expected hash'],
    ['python', 'OSError: [Errno 28] No space left on device', 'disk is full'],
    ['python', 'ERROR: ResolutionImpossible: for help visit', 'contradict each other'],
    ['python', 'The virtual environment was not created successfully because ensurepip is not available.', '`venv` module is missing'],
    [
      'python',
      '  × No solution found when resolving dependencies:\n  ╰─▶ Because a has no wheels with a matching platform tag',
      'need a compiler',
    ],
    ['python', '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed\nCould not fetch URL', 'not trusted'],
    ['python', 'something else', 'The installer failed'],
    ['node', "npm error code E404\nnpm error 404  'nope@1' is not in this registry.", 'no package “nope”'],
    ['node', 'npm error code ETARGET\nnpm error notarget No matching version found for a@^9.', 'matches “a@^9”'],
    ['node', 'npm error code EINTEGRITY', 'expected hash'],
    ['node', 'npm error code ECONNREFUSED', 'cannot be reached'],
    ['node', 'npm error code SELF_SIGNED_CERT_IN_CHAIN', 'not trusted'],
    ['node', 'npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'not trusted'],
    ['node', 'npm error code ENOSPC', 'disk is full'],
    [
      'node',
      'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync',
      'lock file does not belong',
    ],
    ['node', 'npm error code ERESOLVE', 'contradict each other'],
  ] as const)('of %s names the cause of %j', (ecosystem, output, message) => {
    const found = explainInstall(ecosystem, output.split('\n'));
    expect(found.message).toContain(message);
    expect(found.message).not.toContain('$1');
    expect(found.hint.length).toBeGreaterThan(20);
  });
});

it('passes index and network variables to an installer, and no secrets', () => {
  const chosen = {
    PATH: '/bin',
    HOME: '/home/a',
    PIP_INDEX_URL: 'x',
    UV_INDEX_URL: 'x',
    npm_config_registry: 'x',
    'npm_config_@s:registry': 'x',
    HTTPS_PROXY: 'x',
    LC_ALL: 'C',
  };
  const left = {
    DATABASE_URL: 'x',
    SERVICE_KEY: 'x',
    PIP_TARGET: '/',
    npm_config_prefix: '/',
    npm_config_ignore_scripts: 'false',
    UV_PROJECT: 'x',
    NODE_OPTIONS: 'x',
    PYTHONPATH: 'x',
  };
  expect(installerEnvironment({ ...chosen, ...left, EMPTY: undefined })).toEqual(chosen);
});

it.each([
  ['3.11.7', '>=3.11', true],
  ['3.11.7', '>=3.12', false],
  ['3.11.7', '==3.11.*', true],
  ['3.11.7', '!=3.11.*', false],
  ['3.11.7', '~=3.10', true],
  ['3.11.7', '~=3.10.2', false],
  ['3.11.7', '>=3.8,<4', true],
  ['3.11.7', '>3.11.7', false],
])('checks whether Python %s is in the range %s', (version, range, expected) => {
  expect(satisfies(version, range)).toBe(expected);
});
