import { basename, join, relative, sep } from 'node:path';
import type { Candidate } from '#lib/loader/build.ts';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import type { ReadFile } from './declaration.ts';
import { SCRIPT_BLOCK } from './python-declaration.ts';

/** Python packages whose module has another name than the package. */
const PACKAGE_OF_MODULE: Readonly<Record<string, string>> = {
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  Crypto: 'pycryptodome',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  discord: 'discord.py',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  fitz: 'PyMuPDF',
  git: 'GitPython',
  github: 'PyGithub',
  google: 'google-api-python-client',
  jose: 'python-jose',
  jwt: 'PyJWT',
  ldap: 'python-ldap',
  magic: 'python-magic',
  MySQLdb: 'mysqlclient',
  OpenSSL: 'pyOpenSSL',
  pandas_gbq: 'pandas-gbq',
  PIL: 'pillow',
  pkg_resources: 'setuptools',
  pptx: 'python-pptx',
  psycopg2: 'psycopg2-binary',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  slack_sdk: 'slack-sdk',
  slugify: 'python-slugify',
  socks: 'PySocks',
  telegram: 'python-telegram-bot',
  usb: 'pyusb',
  websocket: 'websocket-client',
  win32api: 'pywin32',
  yaml: 'PyYAML',
  zmq: 'pyzmq',
};

/** The installable name of the package that an import did not find; null for other failures. */
export function missingPackage({ code, message }: Pick<RawFailure, 'code' | 'message'>): string | null {
  if (code !== 'import_unresolved') return null;
  const node = /^The package "([^"]+)" is not installed where this file can reach it\./.exec(message)?.[1];
  if (node !== undefined) return node;
  const module = /^No module named '([A-Za-z_]\w*)/.exec(message)?.[1];
  if (module === undefined || module === 'extensions') return null;
  return Object.hasOwn(PACKAGE_OF_MODULE, module) ? (PACKAGE_OF_MODULE[module] ?? module) : module.replaceAll('_', '-');
}

/** An edit that declares a package. */
export interface DeclarationEdit {
  /** Absolute. */
  readonly file: string;
  /** The text to add, for a hint. */
  readonly line: string;
  /** Whether the line is in a script block (PEP 723). */
  readonly isInBlock: boolean;
  /** The current text; null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

/**
 * Location and text of the declaration to add: in the declaring file, or in a new one. A file that shares its folder with other
 * tools gets its own script block, so that their declarations do not change. Null when the declaring file cannot be read.
 */
export async function declarePackage(
  { id, runtime, folder, entryFile }: Candidate,
  name: string,
  read: ReadFile,
): Promise<DeclarationEdit | null> {
  const textOf = async (file: string): Promise<string | null> => {
    const found = await read(file);
    return found.ok ? new TextDecoder().decode(found.bytes) : null;
  };
  if (runtime === 'node') {
    const file = join(folder, 'package.json');
    const before = await textOf(file);
    const after = withDependency(before ?? '{}', name);
    return after === null ? null : { file, line: `"${name}": "*"`, isInBlock: false, before, after };
  }
  const entry = await textOf(entryFile);
  const block = entry === null ? null : SCRIPT_BLOCK.exec(entry);
  if (entry !== null && block !== null) {
    const own = block[0];
    const list = /^# dependencies\s*=\s*\[/m.exec(own);
    const after =
      list === null
        ? own.replace(/^# \/\/\/ script$/m, `$&\n# dependencies = ["${name}"]`)
        : own.slice(0, list.index) + list[0] + `"${name}", ` + own.slice(list.index + list[0].length);
    return {
      file: entryFile,
      line: `"${name}"`,
      isInBlock: true,
      before: entry,
      after: entry.replace(own, () => after.replace(', ]', ']')),
    };
  }
  const project = join(folder, 'pyproject.toml');
  const file = join(folder, 'requirements.txt');
  const before = await textOf(file);
  // A new requirements.txt would replace the declaration in a project table.
  if (before === null && (await textOf(project)) !== null) return null;
  if (before === null && entry !== null && basename(id) === basename(entryFile, '.py')) {
    const line = `# dependencies = ["${name}"]`;
    return { file: entryFile, line, isInBlock: true, before: entry, after: withBlock(entry, line) };
  }
  const start = before === null || before === '' || before.endsWith('\n') ? (before ?? '') : `${before}\n`;
  return { file, line: name, isInBlock: false, before, after: `${start}${name}\n` };
}

/** Position after the lines that must come first: `#!` and the encoding. */
function withBlock(source: string, line: string): string {
  const first = /^\uFEFF?(?:#!.*\r?\n)?(?:#.*?coding[:=].*\r?\n)?/.exec(source)?.[0] ?? '';
  const end = source.includes('\r\n') ? '\r\n' : '\n';
  return [`${first}# /// script`, line, '# ///', source.slice(first.length)].join(end);
}

function withDependency(text: string, name: string): string | null {
  try {
    const manifest: unknown = JSON.parse(text);
    if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) return null;
    const declared: unknown = Reflect.get(manifest, 'dependencies') ?? {};
    return `${JSON.stringify({ ...manifest, dependencies: { ...(typeof declared === 'object' ? declared : {}), [name]: '*' } }, null, 2)}\n`;
  } catch {
    return null;
  }
}

/** The general hints, which are replaced; a more specific hint, such as a similar file name, stays. */
const HOW_TO_INSTALL = /^(?:If it is your own file|Run `npm install)/;

const DECLARE = 'Declare the package:';

/** The package to declare for a failure with such a hint. */
export function undeclaredPackage(failure: Pick<RawFailure, 'code' | 'message' | 'hint'>): string | null {
  return failure.hint?.startsWith(DECLARE) === true ? missingPackage(failure) : null;
}

/** The failure with a hint that names the package and the line to add. */
export async function hintMissing(candidate: Candidate, failure: RawFailure, extensionsDir: string, read: ReadFile): Promise<RawFailure> {
  const name = missingPackage(failure);
  if (name === null || !HOW_TO_INSTALL.test(failure.hint ?? '')) return failure;
  const edit = await declarePackage(candidate, name, read);
  const file = edit === null ? 'its declaration' : relative(extensionsDir, edit.file).replaceAll(sep, '/');
  const place = edit?.isInBlock === true ? `the \`# /// script\` block of ${file}` : file;
  const declared = `${DECLARE} add \`${edit?.line ?? name}\` to ${place}, then press Install.`;
  return { ...failure, hint: `${declared} ${alternativeHint(failure.hint ?? '', name)}` };
}

/** The general hint as the alternative, with the package name in place of the module name. */
function alternativeHint(hint: string, name: string): string {
  const pip = /`([^`]+ -m pip install) [^`]+`/.exec(hint)?.[1];
  return pip === undefined
    ? hint.replace(/^Run/, 'Or run')
    : `Or run \`${pip} ${name}\`, then press Reload. If it is your own file, check its spelling and location.`;
}
