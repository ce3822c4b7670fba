import { parseArgs } from 'node:util';
import { UsageError } from '../base/usage-error.ts';
import { type PortChoice, parsePorts } from '../ports/port-choice.ts';
import { ALIASES, COMMANDS, type CommandName, OPTIONS, type OptionName } from './command-table.ts';

export interface Arguments {
  command: CommandName | 'help' | 'version';
  /** The words after the command. */
  operands: string[];
  home?: string;
  ports: PortChoice[];
  /** An address to listen on, or `any` for all. Without one, the server listens on loopback addresses only. */
  listen?: string;
  pull: boolean;
  viaTab: boolean;
  yes: boolean;
  /** All options of the command line by name: a text, or true for a switch. */
  options: Partial<Record<OptionName, string | true>>;
  /** The values of the options that may be given several times. */
  lists: Partial<Record<OptionName, string[]>>;
}

/** Parses the words after `tabd`. @throws UsageError */
export function parseArguments(argv: string[]): Arguments {
  const { values, lists, positionals } = parse(normalizeArguments(argv));
  const [word = 'serve', ...operands] = positionals;
  const command = commandOf(word);
  // As in Ollama, -v means --verbose for `show`, and --version for all other commands.
  if (command === 'show' && values.version) {
    values.verbose = true;
    delete values.version;
  }
  const shared = {
    operands,
    home: optionText(values.home),
    ports: parsePorts(optionText(values.ports)),
    listen: optionText(values.listen),
    pull: !values['no-pull'],
    viaTab: values['via-tab'] === true,
    yes: values.yes === true,
    options: values,
    lists,
  };
  if (values.help) return { ...shared, command: 'help', operands: command ? [command] : [] };
  if (values.version || word === 'version') return { ...shared, command: 'version' };
  if (word === 'help') return { ...shared, command: 'help', operands: operands.map(requireCommand) };
  if (!command) throw unknownCommand(word);
  checkOptions(command, { ...values, ...lists });
  checkOperands(command, operands);
  return { ...shared, command };
}

type Values = Arguments['options'];

function parse(args: string[]): Pick<Arguments, 'lists'> & { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { value, short, repeats = false }]) => [
      name,
      {
        type: value ? ('string' as const) : ('boolean' as const),
        multiple: repeats,
        ...(short && { short }),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const isList = ([, value]: [string, unknown]) => Array.isArray(value);
    const entries = Object.entries(values);
    return {
      values: Object.fromEntries(entries.filter((entry) => !isList(entry))) as Values,
      lists: Object.fromEntries(entries.filter(isList)) as Arguments['lists'],
      positionals,
    };
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}: see tabd --help`);
  }
}

/**
 * Rewrites two forms that `parseArgs` does not support: optional values, and values that begin with a minus.
 */
function normalizeArguments(argv: string[]): string[] {
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
    // Only an address may follow as a separate word. Any other word could be the model or the prompt.
    const address = next !== undefined && /^[\da-f.:]+$|^[\w-]+(\.[\w-]+)+$|^localhost$/i.test(next);
    const standsAlone = spec?.alone !== undefined && !(word === '--listen' && address);
    words.push(standsAlone ? `${word}=${spec.alone}` : word);
  }
  return words;
}

function commandOf(word: string): CommandName | undefined {
  const name = ALIASES[word] ?? word;
  return Object.hasOwn(COMMANDS, name) ? (name as CommandName) : undefined;
}

function requireCommand(word: string): string {
  const command = commandOf(word);
  if (!command) throw unknownCommand(word);
  return command;
}

function unknownCommand(word: string): UsageError {
  return new UsageError(`there is no command '${word}': see tabd --help`);
}

function checkOptions(command: CommandName, values: Partial<Record<OptionName, unknown>>): void {
  const allowed: string[] = [...COMMANDS[command].options, 'home'];
  const unknownOption = Object.keys(values).find((name) => !allowed.includes(name));
  if (unknownOption) {
    throw new UsageError(`tabd ${command} has no option --${unknownOption}: see tabd help ${command}`);
  }
}

function checkOperands(command: CommandName, operands: string[]): void {
  const [min, max, description] = COMMANDS[command].operands;
  if (operands.length < min)
    throw new UsageError(`tabd ${command} needs ${description}: see tabd help ${command}`);
  if (operands.length > max) throw new UsageError(`tabd ${command}: '${operands[max]}' is one word too many`);
}

function optionText(value: string | true | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
