import { expect, test } from 'vitest';
import { locateNameInPython, locateRunInPython } from './locate-subject.ts';

test.each([
  ['TOOL = {\n    "label": "x",\n    "name": "get_x",\n}', { line: 3, column: 5 }],
  ["TOOL = dict(label='x', name = 'get_x')", { line: 1, column: 24 }],
  ['class Tool:\n    name: str = "get_x"\n\nTOOL = Tool()', { line: 2, column: 5 }],
  ['TOOLS = [{"name": "get_xy"}, {"é": 1, "name":\n  "get_x"}]', { line: 1, column: 39 }],
  ['from .making import make\n\nTOOL: dict = make("get_x")', { line: 3, column: 1 }],
  ['MARK = "\u2028"\nTOOL = dict(name="get_x")', { line: 2, column: 13 }],
  ['from .making import TOOL', null],
])('finds the location of the name of a tool: %s', (source, place) => {
  expect(locateNameInPython(source, 'get_x')).toEqual(place);
});

test.each([
  ['import re\n\nasync def run():\n    return 1', { line: 3, column: 1 }],
  ['run = partial(find, most=1)', { line: 1, column: 1 }],
  ['from .finding import run', null],
])('finds the function of a one-file tool: %s', (source, place) => {
  expect(locateRunInPython(source)).toEqual(place);
});
