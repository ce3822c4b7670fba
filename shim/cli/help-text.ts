import { COMMANDS, type CommandName, OPTIONS, type OptionName } from './command-table.ts';

/** The overview of all commands, or the help of one command. */
export function helpText(command?: CommandName): string {
  return command ? commandHelp(command) : overview();
}

function overview(): string {
  const rows = Object.values(COMMANDS).map(({ usage, summary }): [string, string] => [
    `tabd ${usage}`,
    summary,
  ]);
  return [
    'tabd: a local AI server, on real ports',
    '',
    ...aligned(rows),
    '',
    ...aligned([
      ['tabd help COMMAND', 'describe a command and its options'],
      ['tabd --version', 'print the version'],
    ]),
    '',
    'Commands use the server that OLLAMA_HOST names, or the one that runs on this computer.',
    'If no server runs, they open the models of this computer themselves.',
    '',
  ].join('\n');
}

function commandHelp(name: CommandName): string {
  const { usage, summary, options, details } = COMMANDS[name];
  const rows = [...options, 'home' as const].map((option): [string, string] => [
    optionUsage(option),
    OPTIONS[option].help,
  ]);
  return [
    `tabd ${usage}: ${summary}`,
    ...(details ? ['', details] : []),
    '',
    'Options',
    ...aligned(rows),
    '',
  ].join('\n');
}

function optionUsage(name: OptionName): string {
  const { short, value } = OPTIONS[name];
  // `[LEVEL]` is an optional value, which must follow an equals sign.
  const valueUsage = value?.startsWith('[') ? `[=${value.slice(1)}` : value ? ` ${value}` : '';
  return `${short ? `-${short}, ` : ''}--${name}${valueUsage}`;
}

function aligned(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  const indent = `\n${' '.repeat(width + 4)}`;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right.replaceAll('\n', indent)}`);
}
