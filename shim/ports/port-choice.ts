import { UsageError } from '../base/usage-error.ts';
import { PORTS, type PortName } from './open-ports.ts';

export const APP_PORT = 4180;

export interface PortChoice {
  name: PortName | 'app';
  /** 0 takes any free port. Undefined keeps the port closed. */
  port: number | undefined;
  /** Whether the user chose this number. If so, no other one is used. */
  explicit: boolean;
  /** An address for this port alone. */
  address?: string;
}

/**
 * Parses `11434,8188,5678` in this order, or `NAME=PORT` in any order. Ports that are not named keep their
 * default.
 *
 * @throws UsageError
 */
export function parsePorts(list: string | undefined): PortChoice[] {
  const choices: PortChoice[] = [
    { name: 'app', port: APP_PORT, explicit: false },
    ...PORTS.map(({ listener, port }) => ({ name: listener, port, explicit: false })),
  ];
  const words = list === undefined ? [] : list.split(',').map((word) => word.trim());
  let place = 0;
  for (const word of words) {
    const [name, value] = word.includes('=') ? word.split('=', 2) : [PORTS[place++]?.listener, word];
    const choice = choices.find((each) => each.name === name);
    if (!choice) {
      const names = choices.map((each) => each.name).join(', ');
      throw new UsageError(`--ports: '${word}' names none of ${names}`);
    }
    choice.port = portNumber(word, value);
    choice.explicit = choice.port !== undefined;
  }
  const numbers = choices.map(({ port }) => port).filter((port) => port);
  const twice = numbers.find((port, at) => numbers.indexOf(port) !== at);
  if (twice) throw new UsageError(`--ports: ${twice} is used twice`);
  return choices;
}

function portNumber(word: string, value = ''): number | undefined {
  if (value === 'off' || value === 'none') return undefined;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65535)) throw new UsageError(`--ports: '${word}' has no port number (0 to 65535, or off)`);
  return port;
}
