import { COMMANDS, type CommandName, OPTIONS, type OptionName } from './command-table.ts';

/** `tabd help`, and with a command's name what that one can do. */
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
      ['tabd help COMMAND', 'what a command can do'],
      ['tabd --version', 'the version'],
    ]),
    '',
    'Commands talk to the running server (OLLAMA_HOST, or the one of this computer). Where none runs,',
    'they work on the models of this computer themselves.',
    '',
  ].join('\n');
}

function commandHelp(name: CommandName): string {
  const { usage, summary, options, details } = COMMANDS[name];
  const rows = [...options, 'home' as const].map((option): [string, string] => [
    spelled(option),
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

function spelled(name: OptionName): string {
  const { short, value } = OPTIONS[name];
  const separator = value?.startsWith('[') ? '=' : ' ';
  return `${short ? `-${short}, ` : ''}--${name}${value ? separator + value : ''}`;
}

function aligned(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  const indent = `\n${' '.repeat(width + 4)}`;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right.replaceAll('\n', indent)}`);
}
