import type { Ecosystem } from './declaration.ts';

/** Explains a failed install and suggests a fix, from the installer's output. Its last lines are shown beside it. */
export interface InstallFailure {
  readonly message: string;
  readonly hint: string;
}

interface Cause extends InstallFailure {
  readonly pattern: RegExp;
}

const NOT_REACHED: InstallFailure = {
  message: 'The package index cannot be reached.',
  hint: 'Check the network and proxy of the server, and the address of the index: PIP_INDEX_URL, UV_INDEX_URL, npm_config_registry or `.npmrc`. Then install again.',
};
const NOT_TRUSTED: InstallFailure = {
  message: 'The certificate of the package index is not trusted.',
  hint: 'Set NODE_EXTRA_CA_CERTS (npm) or SSL_CERT_FILE (pip, uv) of the server to a file with the certificate of its authority, restart the server, and install again.',
};
const DISK_FULL: InstallFailure = {
  message: 'The disk is full.',
  hint: 'Free space where DATA_DIR and the cache of the installer are, then install again.',
};
const NOT_ALLOWED: InstallFailure = {
  message: 'The package index refused access.',
  hint: 'Give the server credentials for the index: in PIP_INDEX_URL, in `.netrc`, or as a token in `.npmrc`.',
};

/** The first that matches applies: a missing network, for instance, also leads to "no version found". `$1` is the first group. */
const CAUSES: Readonly<Record<Ecosystem, readonly Cause[]>> = {
  python: [
    { pattern: /No space left on device|os error 28|ENOSPC|Disk quota exceeded/i, ...DISK_FULL },
    {
      pattern: /DO NOT MATCH THE HASHES|Hash mismatch|Expected sha256|hashes are required/i,
      message: 'A downloaded package does not have the expected hash.',
      hint: 'The index serves a different file than the locked one. Check the index; if the change is intended, update the hashes.',
    },
    {
      pattern: /ensurepip is not available|No module named (?:venv|ensurepip|pip)|The virtual environment was not created/i,
      message: 'This Python cannot create virtual environments: its `venv` module is missing.',
      hint: 'Install it on the server: `apt-get install python3-venv` on Debian and Ubuntu. Or install `uv`.',
    },
    { pattern: /CERTIFICATE_VERIFY_FAILED|invalid peer certificate/, ...NOT_TRUSTED },
    { pattern: /401 (?:Client Error|Unauthorized)|403 (?:Client Error|Forbidden)|User for .*:/i, ...NOT_ALLOWED },
    {
      pattern:
        /Failed to establish a new connection|Name or service not known|Temporary failure in name resolution|Connection refused|Connection reset|ConnectTimeout|Read timed out|error sending request|dns error|Network is unreachable|Could not fetch URL/i,
      ...NOT_REACHED,
    },
    {
      pattern: /conflicting dependencies|ResolutionImpossible|No solution found[\s\S]*(?:incompatible|cannot be used|unsatisfiable)/i,
      message: 'The requirements contradict each other.',
      hint: 'The output names the versions that conflict. Loosen one of the requirements.',
    },
    {
      pattern: /requires a different Python|requires-python|No interpreter found|does not satisfy Python|current Python version/i,
      message: 'A requirement needs another version of Python.',
      hint: 'Install that Python on the server and set PYTHON, or install `uv` and declare `requires-python`.',
    },
    {
      pattern:
        /no usable wheels|has no wheels|building (?:from )?source distributions? is disabled|Microsoft Visual C\+\+|error: command '\S*gcc/i,
      message: 'A package is not available in built form for this system; it would need a compiler.',
      hint: 'Choose a version with a wheel for this system and Python. Or build it yourself in a `.venv` in the folder of the extension, which Switchboard then uses.',
    },
    {
      pattern: /No matching distribution found for ([^\s;]+)|was not found in the package registry/i,
      message: 'No version matches “$1”: the index has no such package or version, or none that is built for this Python and system.',
      hint: 'Check the spelling and the versions; the output lists the versions of the index. Packages that need a compiler are not built.',
    },
    {
      pattern: /there (?:is|are) no versions? of ([^\s]+)/i,
      message: 'The index has no such version of “$1”.',
      hint: 'Check the spelling and the range of versions.',
    },
  ],
  node: [
    { pattern: /ENOSPC|no space left on device/i, ...DISK_FULL },
    {
      pattern: /EINTEGRITY/,
      message: 'A downloaded package does not have the expected hash.',
      hint: 'The registry serves a different file than the lock file. Check the registry; if the change is intended, create the lock file again.',
    },
    { pattern: /SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY)_\w+|\bCERT_\w+|ERR_TLS_CERT\w+/, ...NOT_TRUSTED },
    { pattern: /code E401|code E403|code ENEEDAUTH/, ...NOT_ALLOWED },
    {
      pattern: /code E404[\s\S]*?'?([@\w./-]+?)@[^']*'? (?:is not in this registry|could not be found)|code E404/,
      message: 'The registry has no package “$1”.',
      hint: 'Check the spelling, and the registry: npm_config_registry or `.npmrc`.',
    },
    {
      pattern: /code ETARGET(?:[\s\S]*?No matching version found for ([^\s]+?)\.?(?:\s|$))?/,
      message: 'The registry has no version that matches “$1”.',
      hint: 'Check the range of versions in package.json.',
    },
    {
      pattern: /code ERESOLVE/,
      message: 'The requirements contradict each other.',
      hint: 'The output names the packages that conflict. Change one of their versions in package.json.',
    },
    {
      pattern: /can only install packages when your package\.json and package-lock\.json|are in sync/,
      message: 'The lock file does not belong to this package.json.',
      hint: 'Run `npm install --package-lock-only` in the folder of the extension, and save both files.',
    },
    {
      pattern: /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET_TIMEOUT|ENETUNREACH/,
      ...NOT_REACHED,
    },
    {
      pattern: /code EBADPLATFORM/,
      message: 'A package does not run on this system.',
      hint: 'Move it to `optionalDependencies`, or choose another one.',
    },
  ],
};

export function explainInstall(ecosystem: Ecosystem, output: readonly string[]): InstallFailure {
  const text = output.join('\n');
  for (const { pattern, message, hint } of CAUSES[ecosystem]) {
    const found = pattern.exec(text);
    if (found !== null) return { message: withName(message, found[1]), hint };
  }
  return {
    message: 'The installer failed.',
    hint: 'The last lines of its output show the reason. Fix the declaration or the server, then install again.',
  };
}

function withName(message: string, name: string | undefined): string {
  return name === undefined ? message.replace(/ “\$1”/, '') : message.replace('$1', name.slice(0, 120));
}
