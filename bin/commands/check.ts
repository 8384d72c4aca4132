import path from 'node:path';
import { githubAnnotations } from './check-annotations.ts';
import { createReport } from './check-report.ts';
import { checkText } from './check-text.ts';
import { EXIT, wrongUsage } from './command.ts';
import type { Command } from './command.ts';
import { extensionsFolder, openTemporaryHost } from './command-host.ts';
import { jsonText } from './json-text.ts';
import { readOptions } from './read-options.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'Load every extension as the server does, and show failures',
  help: `Loads every extension of a folder as the server does, in separate processes, and prints failures with code frames, and
warnings. Nothing is called or stored.

Usage: switchboard check [folder] [--install] [--strict] [--json | --github]

  folder     extensions folder; EXTENSIONS_DIR or \`extensions\` by default
  --install  installs declared packages that are missing
  --strict   warnings are failures
  --json     one JSON object: {ok, folder, duration_ms, extensions, tools, failures, warnings}
  --github   also print annotations for GitHub Actions

Exit codes: 0 no failure, 1 an extension failed, 2 invalid command line, 3 not checked.

  switchboard check
  switchboard check ../team-extensions --strict
  switchboard check --json | jq -r '.failures[] | "\\(.file):\\(.line) \\(.code)"'
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, {
      install: { type: 'boolean' },
      strict: { type: 'boolean' },
      json: { type: 'boolean' },
      github: { type: 'boolean' },
    });
    if (positionals.length > 1) throw wrongUsage(`Name one folder; you named ${positionals.length}.`);
    if (values.json && values.github) throw wrongUsage('--json and --github cannot be used together.');
    const folder = extensionsFolder(context, positionals[0]);

    const beganAt = performance.now();
    const opened = await openTemporaryHost(context, folder, values.install === true);
    try {
      const report = createReport(opened.host, folder, Math.round(performance.now() - beganAt), values.strict === true);
      if (values.json) await context.print(`${jsonText(report, 2)}\n`);
      else {
        const shown = path.relative(context.cwd, folder) || '.';
        const text = checkText(report, shown, (style, words) => context.paint(style, words));
        await context.print(values.github ? githubAnnotations(report, context.env['GITHUB_WORKSPACE'] ?? context.cwd, text) : text);
      }
      return report.ok ? EXIT.ok : EXIT.failed;
    } finally {
      await opened.close();
    }
  },
};
