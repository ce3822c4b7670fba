import { parseArgs } from 'node:util';
import { type PortChoice, parsePorts } from './port-choice.ts';
import { UsageError } from './usage-error.ts';

export type CommandName = 'serve' | 'pull' | 'list' | 'import' | 'rm';

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
}

export const HELP = `tabd: a local AI server, on real ports

  tabd [serve]              start the page and the ports
  tabd pull NAME            download a model (smollm2:135m, hf.co/user/repo:Q4_K_M, a URL)
  tabd list                 show the installed models
  tabd import PATH [NAME]   install a GGUF file that is already on this computer
  tabd rm NAME...           remove models

Options
  --home FOLDER      where models and state live (also: TABD_HOME)
  --ports LIST       11434,8188,5678 or any of app=, local-models=, image-workflows=, webhooks=
                     with a port number or off: --ports local-models=11435,webhooks=off
  --listen [ADDRESS] be reachable from other computers too: on ADDRESS, or on all addresses
  --via-tab          let an open tab answer the ports (prints a link to connect one)
  --no-pull          do not fetch a first model
  --yes              do not ask before downloads
  --version, --help
`;

const OPERANDS: Record<CommandName, [least: number, most: number, what: string]> = {
  serve: [0, 0, ''],
  pull: [1, 1, 'the name of a model'],
  list: [0, 0, ''],
  import: [1, 2, 'the path of a GGUF file'],
  rm: [1, Number.POSITIVE_INFINITY, 'the name of a model'],
};

const ALIASES: Record<string, CommandName> = { start: 'serve', ls: 'list', remove: 'rm' };

/** Throws `UsageError`. */
export function parseArguments(argv: string[]): Arguments {
  const { values, positionals } = parse(withListenAddress(argv));
  const [word = 'serve', ...operands] = positionals;
  const command = ALIASES[word] ?? word;
  const shared = {
    operands,
    home: values.home,
    ports: parsePorts(values.ports),
    listen: values.listen,
    pull: !values['no-pull'],
    viaTab: values['via-tab'] === true,
    yes: values.yes === true,
  };
  if (values.help || command === 'help') return { ...shared, command: 'help' };
  if (values.version || command === 'version') return { ...shared, command: 'version' };
  if (!isCommand(command)) throw new UsageError(`there is no command '${word}': see tabd --help`);
  const [least, most, what] = OPERANDS[command];
  if (operands.length < least) throw new UsageError(`tabd ${command} needs ${what}: see tabd --help`);
  if (operands.length > most)
    throw new UsageError(`tabd ${command}: '${operands[most]}' is one word too many`);
  return { ...shared, command };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        home: { type: 'string' },
        ports: { type: 'string' },
        listen: { type: 'string' },
        'no-pull': { type: 'boolean' },
        'via-tab': { type: 'boolean' },
        yes: { type: 'boolean', short: 'y' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}: see tabd --help`);
  }
}

/** `--listen` may stand alone, which `parseArgs` does not know: its value is then `any`. */
function withListenAddress(argv: string[]): string[] {
  return argv.flatMap((word, at) => {
    if (word !== '--listen') return [word];
    const next = argv[at + 1];
    const address = next !== undefined && /^[\da-f.:]+$|^[\w-]+(\.[\w-]+)+$|^localhost$/i.test(next);
    return address ? [word] : ['--listen=any'];
  });
}

function isCommand(word: string): word is CommandName {
  return Object.hasOwn(OPERANDS, word);
}
