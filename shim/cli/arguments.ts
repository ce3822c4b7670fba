import { parseArgs } from 'node:util';
import { UsageError } from '../base/usage-error.ts';
import { type PortChoice, parsePorts } from '../ports/port-choice.ts';
import { ALIASES, COMMANDS, type CommandName, OPTIONS, type OptionName } from './command-table.ts';

export interface Arguments {
  command: CommandName | 'help' | 'version';
  /** What follows the command. */
  operands: string[];
  home?: string;
  ports: PortChoice[];
  /** Listen beyond loopback: an address, or `any` for all. */
  listen?: string;
  pull: boolean;
  viaTab: boolean;
  yes: boolean;
  /** Every option that was given, by its name: texts, and true for switches. */
  options: Partial<Record<OptionName, string | true>>;
}

/** Throws `UsageError`. */
export function parseArguments(argv: string[]): Arguments {
  const { values, positionals } = parse(spellOut(argv));
  const [word = 'serve', ...operands] = positionals;
  const command = commandOf(word);
  // -v asks for more of `show`, as with its model; everywhere else for the version.
  if (command === 'show' && values.version) {
    values.verbose = true;
    delete values.version;
  }
  const shared = {
    operands,
    home: text(values.home),
    ports: parsePorts(text(values.ports)),
    listen: text(values.listen),
    pull: !values['no-pull'],
    viaTab: values['via-tab'] === true,
    yes: values.yes === true,
    options: values,
  };
  if (values.help) return { ...shared, command: 'help', operands: command ? [command] : [] };
  if (values.version || word === 'version') return { ...shared, command: 'version' };
  if (word === 'help') return { ...shared, command: 'help', operands: operands.map(known) };
  if (!command) throw unknownCommand(word);
  checkOptions(command, values);
  checkOperands(command, operands);
  return { ...shared, command };
}

type Values = Arguments['options'];

function parse(args: string[]): { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { value, short }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), ...(short && { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    return { values: values as Values, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}: see tabd --help`);
  }
}

/** What `parseArgs` does not know: values that may be left out, and values that begin with a minus. */
function spellOut(argv: string[]): string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    const next = argv[at + 1];
    if (word === '--') return [...words, ...argv.slice(at)];
    const spec = Object.entries(OPTIONS).find(([name]) => word === `--${name}`)?.[1];
    if (spec?.value && spec.alone === undefined && next !== undefined && /^-\d/.test(next)) {
      words.push(`${word}=${next}`);
      at++;
      continue;
    }
    // Only an address may follow as a word of its own: everything else could be the model or the prompt.
    const address = next !== undefined && /^[\da-f.:]+$|^[\w-]+(\.[\w-]+)+$|^localhost$/i.test(next);
    const alone = spec?.alone !== undefined && !(word === '--listen' && address);
    words.push(alone ? `${word}=${spec.alone}` : word);
  }
  return words;
}

function commandOf(word: string): CommandName | undefined {
  const name = ALIASES[word] ?? word;
  return Object.hasOwn(COMMANDS, name) ? (name as CommandName) : undefined;
}

function known(word: string): string {
  const command = commandOf(word);
  if (!command) throw unknownCommand(word);
  return command;
}

function unknownCommand(word: string): UsageError {
  return new UsageError(`there is no command '${word}': see tabd --help`);
}

function checkOptions(command: CommandName, values: Values): void {
  const allowed: string[] = [...COMMANDS[command].options, 'home'];
  const strange = Object.keys(values).find((name) => !allowed.includes(name));
  if (strange) {
    throw new UsageError(`tabd ${command} has no option --${strange}: see tabd help ${command}`);
  }
}

function checkOperands(command: CommandName, operands: string[]): void {
  const [least, most, what] = COMMANDS[command].operands;
  if (operands.length < least)
    throw new UsageError(`tabd ${command} needs ${what}: see tabd help ${command}`);
  if (operands.length > most)
    throw new UsageError(`tabd ${command}: '${operands[most]}' is one word too many`);
}

function text(value: string | true | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
