/** Scripts that complete commands, options and names of models in a shell. */
import { UsageError } from '../base/usage-error.ts';
import { ALIASES, COMMANDS, type CommandSpec, OPTIONS, type OptionName } from './command-table.ts';

const SHELLS = { bash, zsh, fish } as const;

/** Prints the names of the installed models, one a line. */
const MODELS = "tabd list 2>/dev/null | awk 'NR > 1 { print $1 }'";
const TOP_LEVEL = ['help', '--help', '--version'];

/** @throws UsageError for another shell than bash, zsh and fish */
export function completion(shell: string): string {
  if (!Object.hasOwn(SHELLS, shell))
    throw new UsageError(`there is no completion for '${shell}': choose bash, zsh or fish`);
  return SHELLS[shell as keyof typeof SHELLS]();
}

/** A command with its other names. `help` takes the name of a command. */
interface Completed extends Pick<CommandSpec, 'completes' | 'summary'> {
  names: string[];
  options: OptionName[];
}

function completed(): Completed[] {
  const commands = Object.entries(COMMANDS).map(
    ([name, { completes, summary, options }]): Completed => ({
      names: [name, ...Object.keys(ALIASES).filter((alias) => ALIASES[alias] === name)],
      options: [...options, 'home', 'help'],
      summary,
      ...(completes && { completes }),
    }),
  );
  const help = {
    names: ['help'],
    options: [],
    summary: 'describe a command',
    completes: Object.keys(COMMANDS),
  };
  return [...commands, help];
}

const flags = (options: OptionName[]): string => options.map((name) => `--${name}`).join(' ');
const commandNames = (): string => [...Object.keys(COMMANDS), ...TOP_LEVEL].join(' ');

function bash(): string {
  const cases = completed().map(({ names, options, completes }) => {
    const values =
      completes === 'models'
        ? `words=$(${MODELS})`
        : completes === 'files'
          ? 'files=1'
          : `words='${completes?.join(' ') ?? ''}'`;
    return `    ${names.join('|')}) options='${flags(options)}'; [[ $current == -* ]] || ${values} ;;`;
  });
  // A colon ends a word in bash, and names of models have one.
  return `_tabd() {
  local line="\${COMP_LINE:0:COMP_POINT}" command= word words= options= files=
  local current="\${line##* }"
  local before="\${line%"$current"}"
  for word in $before; do
    [[ $word == tabd || $word == */tabd || $word == -* ]] || { command=$word; break; }
  done
  case $command in
    '') options='${commandNames()}'; words=$options ;;
${cases.join('\n')}
  esac
  [[ $current == -* ]] && words=$options
  if [[ $files && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
  local prefix="\${current%"\${current##*:}"}"
  COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
}
complete -F _tabd tabd
`;
}

function zsh(): string {
  const cases = completed().map(({ names, options, completes }) => {
    const values =
      completes === 'models'
        ? `compadd -- $(${MODELS})`
        : completes === 'files'
          ? '_files'
          : `compadd -- ${completes?.join(' ') ?? ''}`;
    return `    ${names.join('|')}) if [[ $PREFIX == -* ]]; then compadd -- ${flags(options)}; else ${values}; fi ;;`;
  });
  return `_tabd() {
  local command= word
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -* ]] || { command=$word; break }
  done
  case $command in
    '') compadd -- ${commandNames()} ;;
${cases.join('\n')}
  esac
}
compdef _tabd tabd
`;
}

function fish(): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = completed().flatMap(({ names, options, completes, summary }) => {
    const seen = `-n '__fish_seen_subcommand_from ${names.join(' ')}'`;
    const values =
      completes === 'models'
        ? [`complete -c tabd ${seen} -a ${quoted(`(${MODELS})`)}`]
        : completes === 'files'
          ? [`complete -c tabd ${seen} -F`]
          : completes
            ? [`complete -c tabd ${seen} -a '${completes.join(' ')}'`]
            : [];
    return [
      `complete -c tabd -n __fish_use_subcommand -a ${names[0]} -d ${quoted(summary)}`,
      ...values,
      ...options.map((name) => {
        const { value, short, help } = OPTIONS[name];
        const needsValue = value && !value.startsWith('[') ? ' -r' : '';
        const text = help ? ` -d ${quoted(help.split('\n')[0]!)}` : '';
        return `complete -c tabd ${seen} -l ${name}${short ? ` -s ${short}` : ''}${needsValue}${text}`;
      }),
    ];
  });
  return `complete -c tabd -f\n${lines.join('\n')}\n`;
}
