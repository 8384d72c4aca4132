import type { Provocation } from './failing-files.ts';

const tool = (fields: string, before = ''): string =>
  `${before}def execute():\n    return 1\n\nTOOL = {\n    "label": "Test",\n    "description": "Does a thing.",\n${fields}}\n`;

const file = 'x/extension.py';

/** Python files that do not load, with their expected failures: the same codes as for TypeScript. */
export const PYTHON_PROVOCATIONS: readonly Provocation[] = [
  {
    code: 'entry_missing',
    what: 'Python code beside no entry',
    files: { 'x/main.py': '' },
    expected: { file: 'x', line: null },
    says: /extension\.py/,
  },
  {
    code: 'syntax_error',
    what: 'a bracket that is not closed, in Python',
    files: { [file]: 'FINE = 1\nTOOL = {"label": "a"\n' },
    expected: { file, line: 2, column: 8 },
    says: /never closed/,
  },
  ...(
    [
      ['from . import Words', 'words.py'],
      ['from .Words import WORD', 'words.py'],
      ['import Words', 'words.py'],
      ['from .Lib.words import WORD', 'lib/words.py'],
      ['import importlib; importlib.import_module(".Words", __package__)', 'words.py'],
    ] as const
  ).map(([statement, name]): Provocation => ({
    code: 'import_unresolved',
    what: `\`${statement}\` where ${name} is, in Python`,
    files: { [file]: `FINE = 1\n${statement}\n`, [`x/${name}`]: 'WORD = 1\n' },
    expected: { file, line: 2 },
    says: new RegExp(`\`x/${name.replace(/\/.*/, '')}\` differs only in upper and lower case`),
  })),
  {
    code: 'unreadable',
    what: 'an entry that is not UTF-8, in Python',
    files: { [file]: Buffer.from(`FINE = 1\nNAME = "Caf\u00e9"\n`, 'latin1') },
    expected: { file, line: 2, column: 12 },
    says: /not UTF-8: byte 20 \(0xE9\), at line 2, column 12.* Windows-1252 .*declare its encoding/,
  },
  {
    code: 'unreadable',
    what: 'a helper in another encoding than it declares, in Python',
    files: {
      [file]: 'from . import words\nTOOL = words.TOOL\n',
      'x/words.py': Buffer.from(`# coding: ascii\nNAME = "\u00e9"\n`, 'latin1'),
    },
    expected: { file: 'x/words.py', line: 2, column: 9 },
    says: /words\.py is not ASCII: byte 24/,
  },
  {
    code: 'unreadable',
    what: 'an encoding that does not exist, in Python',
    files: { [file]: Buffer.from('# coding: utf-9\nNAME = "\u00e9"\n', 'latin1') },
    expected: { file, line: 1, column: 1 },
    says: /declares the encoding utf-9/,
  },
  {
    code: 'unreadable',
    what: 'an entry in UTF-16, in Python',
    files: { [file]: Buffer.from('NAME = "é"\n', 'utf16le') },
    expected: { file, line: 1, column: 1 },
    says: /encoded as UTF-16/,
  },
  {
    code: 'parameters_invalid',
    what: 'a type that is a class, in Python',
    files: { [file]: tool('    "name": "x_get",\n    "parameters": {"a": {"type": str}},\n    "execute": execute,\n') },
    expected: { file },
    says: /a class; only JSON is allowed here/,
  },
  {
    code: 'syntax_error',
    what: 'a byte that is null, in Python',
    files: { [file]: 'FINE = 1\nTOOL = "é\u0000"\n' },
    expected: { file, line: 2, column: 10 },
    says: /null bytes/,
  },
  {
    code: 'import_error',
    what: 'a fault behind letters beyond ASCII, in Python, whose column Python reports from 3.11 on',
    files: { [file]: 'NAME = "é日😀"; TOOL = 1 / 0\n' },
    expected: { file, line: 1 },
    says: /division by zero/,
  },
  {
    code: 'tool_invalid',
    what: 'a tool behind letters beyond ASCII, in Python',
    files: { [file]: 'NAME = "é日😀"; TOOL = 1\n' },
    expected: { file, line: 1, column: 16 },
    says: /is a number/,
  },
  {
    code: 'syntax_error',
    what: 'a line that is not indented, in Python',
    files: { [file]: 'def execute():\nreturn 1\n' },
    expected: { file, line: 2 },
    says: /expected an indented block/,
  },
  {
    code: 'import_unresolved',
    what: 'a Python helper that is not there',
    files: { [file]: '\nfrom .helpr import a\n' },
    expected: { file, line: 2 },
    says: /No module named '\.helpr'/,
  },
  {
    code: 'import_unresolved',
    what: 'a Python package that is not installed',
    files: { [file]: 'import package_that_is_not_there\n' },
    expected: { file, line: 1 },
    says: /add `package-that-is-not-there` to x\/requirements\.txt.*pip install package-that-is-not-there/,
  },
  {
    code: 'import_unresolved',
    what: 'a name that a Python module does not have',
    files: { [file]: 'from os.path import notThere\n' },
    expected: { file, line: 1 },
    says: /notThere/,
  },
  {
    code: 'import_error',
    what: 'an error in a Python helper',
    files: { 'x/helper.py': '\nVALUE = {}["settings"]\n', [file]: 'import helper\n' },
    expected: { file: 'x/helper.py', line: 2 },
    says: /KeyError: 'settings'/,
  },
  {
    code: 'import_timeout',
    what: 'a Python file that waits for ever',
    files: { [file]: 'while True:\n    pass\n' },
    expected: { file },
    says: /LOAD_TIMEOUT_MS/,
  },
  {
    code: 'process_exited',
    what: 'sys.exit while a Python file is imported',
    files: { [file]: 'import sys\nsys.exit(3)\n' },
    expected: { file, line: 2 },
    says: /sys\.exit\(3\)/,
  },
  {
    code: 'process_exited',
    what: 'a Python process that ends without a word',
    files: { [file]: 'import os\nos._exit(4)\n' },
    expected: { file },
    says: /exit code 4/,
  },
  { code: 'export_missing', what: 'a Python file without TOOL', files: { [file]: 'Tool = {}\n' }, expected: { file }, says: /TOOL/ },
  {
    code: 'export_ambiguous',
    what: 'TOOL and TOOLS in Python',
    files: { [file]: 'TOOLS = []\nTOOL = {}\n' },
    expected: { file, line: 2, column: 1 },
    says: /TOOLS/,
  },
  {
    code: 'tool_invalid',
    what: 'a Python TOOLS that is a dict',
    files: { [file]: 'TOOLS = {}\n' },
    expected: { file, line: 1 },
    says: /is a dict; it must be a list/,
  },
  {
    code: 'fields_missing',
    what: 'a Python tool without name',
    files: { [file]: tool('    "parameters": {},\n    "execute": execute,\n') },
    expected: { file, line: 4 },
    says: /`name`/,
  },
  {
    code: 'field_invalid',
    what: 'a Python tool whose name has a space',
    files: { [file]: tool('    "name": "a b",\n    "parameters": {},\n    "execute": execute,\n') },
    expected: { file, line: 7, column: 5 },
    says: /a_b/,
  },
  {
    code: 'execute_not_callable',
    what: 'a Python execute that was called instead of handed over',
    files: { [file]: tool('    "name": "a_tool",\n    "parameters": {},\n    "execute": execute(),\n') },
    expected: { file, line: 9, column: 5 },
    says: /function/,
  },
  {
    code: 'parameters_invalid',
    what: 'a type in a Python schema that is none',
    files: {
      [file]: tool(
        '    "name": "a_tool",\n    "parameters": {\n        "type": "object",\n        "properties": {"a": {"type": "numbr"}},\n    },\n    "execute": execute,\n',
      ),
    },
    expected: { file, line: 10 },
    says: /numbr/,
  },
  {
    code: 'run_missing',
    what: 'a one-file tool in Python without run',
    files: { 'tools/x.py': 'def main():\n    return 1\n' },
    expected: { file: 'tools/x.py', line: 1, column: 1 },
    says: /`run` where it says `main`/,
  },
  {
    code: 'type_unsupported',
    what: 'a hint in Python that JSON cannot carry',
    files: { 'tools/x.py': 'import socket\n\ndef run(name: str, line: socket.socket):\n    return name\n' },
    expected: { file: 'tools/x.py', line: 3, column: 26 },
    says: /`line`.*`socket`/,
  },
  {
    code: 'duplicate_tool_name',
    what: 'a name that is taken, in Python',
    files: { [file]: tool('    "name": "neighbour_tool",\n    "parameters": {},\n    "execute": execute,\n') },
    expected: { file },
    says: /neighbour/,
  },
  {
    code: 'duplicate_tool_name',
    what: 'two tools of one name in one list, in Python',
    files: {
      [file]:
        'BASE = {"label": "Test", "description": "Does a thing.", "parameters": {}, "execute": lambda: 1}\nTOOLS = [\n    {**BASE, "name": "get_a"},\n    {**BASE, "name": "get_a"},\n]\n',
    },
    expected: { file, line: 4 },
    says: /“get_a” is defined twice in this file: in `TOOLS\[0\]` and in `TOOLS\[1\]`/,
  },
  {
    code: 'channel_incomplete',
    what: 'a channel in Python without send and with a name misspelt',
    files: { 'channels/x.py': '"""A line."""\n\ndef connect():\n    pass\n\n\nasync def recieve():\n    pass\n' },
    expected: { file: 'channels/x.py', line: 7, column: 1 },
    says: /`recv` and `send` are missing.*`recv` where it says `recieve`/s,
  },
  {
    code: 'channel_incomplete',
    what: 'a channel in Python whose recv is no function',
    files: { 'channels/x.py': 'def connect():\n    pass\n\nrecv = None\n\ndef send(message):\n    pass\n' },
    expected: { file: 'channels/x.py', line: 4, column: 1 },
    says: /`recv` is None.*`def recv\(\):`/s,
  },
  {
    code: 'channel_incomplete',
    what: 'a tool in Python among the channels',
    files: { 'channels/x.py': 'def run(text: str):\n    return text\n' },
    expected: { file: 'channels/x.py', line: 1, column: 1 },
    says: /extensions\/tools\/<tool>\.py/,
  },
];
