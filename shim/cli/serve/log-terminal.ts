import { stripVTControlCharacters } from 'node:util';
import type { Log } from '#core/host';
import type { Terminal } from '../progress.ts';

/** Writes each printed line to the log, without escape sequences. */
export function logTerminal(log: Pick<Log, 'info'>): Terminal {
  let rest = '';
  return {
    write(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const message = stripVTControlCharacters(line).trim();
        if (message !== '') log.info(message);
      }
    },
  };
}
