import { parseParameter } from '#core/local-models';
import { formatList } from '#shim/base/format.ts';
import { UsageError } from '#shim/base/usage-error.ts';
import { responseFormatOf, thinkOf } from './options.ts';
import type { SlashCall } from './slash-call.ts';

export const SETTINGS: [string, string][] = [
  ['/set parameter NAME VALUE...', 'set a parameter: temperature 0.2, num_ctx 8192, stop <a> <b>'],
  ['/set system TEXT', 'set the system message (""" for several lines)'],
  ['/set think [LEVEL]', 'enable thinking'],
  ['/set nothink', 'disable thinking'],
  ['/set format json', 'make answers JSON'],
  ['/set noformat', 'allow free text'],
  ['/set verbose', 'print statistics'],
  ['/set quiet', 'do not print statistics'],
  ['/set history', 'store prompts in the history'],
  ['/set nohistory', 'do not store prompts'],
  ['/set wordwrap', 'wrap lines at words'],
  ['/set nowordwrap', 'do not wrap lines at words'],
];

/** `/set …` */
export async function setOption(line: string, words: string[], call: SlashCall): Promise<void> {
  const { session, history, write } = call;
  const { options } = session;
  const [what, ...values] = words;
  switch (what) {
    case 'verbose':
    case 'quiet':
      options.verbose = what === 'verbose';
      return write(`Set '${what}' mode.\n`);
    case 'wordwrap':
    case 'nowordwrap':
      options.wordWrap = what === 'wordwrap';
      return write(`Set '${what}' mode.\n`);
    case 'history':
    case 'nohistory':
      history.enabled = what === 'history';
      return write(`Set '${what}' mode.\n`);
    case 'think':
      return showUsageErrors(write, () => {
        options.think = thinkOf(values[0] ?? '');
        write(values[0] ? `Set 'think' mode to '${values[0]}'.\n` : "Set 'think' mode.\n");
      });
    case 'nothink':
      options.think = false;
      return write("Set 'nothink' mode.\n");
    case 'format':
      return showUsageErrors(write, () => {
        options.format = responseFormatOf(values.join(' ')) ?? responseFormatOf('?');
        write(`Set format to '${values.join(' ')}' mode.\n`);
      });
    case 'noformat':
      options.format = undefined;
      return write('Disabled format.\n');
    case 'parameter': {
      const [name, ...texts] = values;
      if (!name || texts.length === 0) return write(formatList(SETTINGS.slice(0, 1)));
      session.parameters[name] = parseParameter(name, texts);
      return write(`Set parameter '${name}' to '${texts.join(', ')}'\n`);
    }
    case 'system': {
      const text = /^\s*\/set\s+system\s+(.*)$/s.exec(line)?.[1];
      if (text === undefined) return write(formatList(SETTINGS.slice(1, 2)));
      const system = text.startsWith('"""') ? await call.readRest(text.slice(3)) : text;
      if (system === undefined) return;
      session.setSystem(system);
      return write('Set system message.\n');
    }
    case undefined:
      return write(formatList(SETTINGS));
    default:
      write(`Unknown command '/set ${what}'. Type /? for help\n`);
  }
}

function showUsageErrors(write: (text: string) => void, change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    write(`error: ${error.message}\n`);
  }
}
