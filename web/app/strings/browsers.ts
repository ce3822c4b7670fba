import { listText } from '../ui/format.ts';
import { commonStrings } from './common.ts';
import { localized } from './language.ts';

/** Texts of the list of connected browsers. */
export const browserStrings = localized('browserStrings', {
  heading: 'Connected browsers',
  subtitle:
    'They answer the ports of this computer together. A chat goes to a browser that has the model and the shortest queue. Workflows, images and uploads are those of the home.',
  none: 'No browser is connected. Clients get status 503.',
  home: 'home',
  states: {
    connected: 'connected',
    silent: 'does not react now',
    away: 'not open',
  },
  requests: (count: number) => (count === 1 ? '1 request' : `${count} requests`),
  threads: (count: number) => `${count} CPU threads`,
  memory: (gigabytes: number) => `${gigabytes} GB`,
  battery: (percent: number, charging: boolean) =>
    charging ? `battery ${percent} %, charging` : `battery ${percent} %`,
  models: (count: number) => (count === 1 ? '1 model' : `${count} models`),
  loaded: (names: readonly string[]) => `loaded: ${listText(names)}`,
  rename: 'Rename',
  nameOf: (name: string) => `New name of ${name}`,
  save: commonStrings.save,
  cancel: commonStrings.cancel,
  makeHome: 'Make it the home',
  revoke: 'Disconnect',
  reallyRevoke: 'Disconnect for good',
  connect: 'Connect another browser',
  link: 'Open this link there once. It is valid for an hour:',
  outside: 'On another device, open this link or scan the code:',
  noOutside:
    'Browsers on other devices need https: restart the server with tabd serve --via-tab --listen --https.',
  code: 'QR code of the link',
});
