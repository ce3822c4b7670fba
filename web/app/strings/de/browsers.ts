import type { browserStrings as English } from '../browsers.ts';
import { commonStrings } from './common.ts';
import { count, listText } from './numbers.ts';

export const browserStrings: typeof English = {
  heading: 'Verbundene Browser',
  subtitle:
    'Sie beantworten gemeinsam die Ports dieses Computers. Ein Chat geht an einen Browser, der das Modell hat und bei dem am wenigsten wartet. Workflows, Bilder und Uploads sind die des Zuhauses.',
  none: 'Kein Browser ist verbunden. Clients bekommen den Status 503.',
  home: 'Zuhause',
  states: {
    connected: 'verbunden',
    silent: 'reagiert gerade nicht',
    away: 'nicht geöffnet',
  },
  requests: (number) => count(number, 'Anfrage', 'Anfragen'),
  threads: (number) => `${number} CPU-Threads`,
  memory: (gigabytes) => `${gigabytes} GB`,
  battery: (percent, charging) => (charging ? `Akku ${percent} %, lädt` : `Akku ${percent} %`),
  models: (number) => count(number, 'Modell', 'Modelle'),
  loaded: (names) => `geladen: ${listText(names)}`,
  rename: 'Umbenennen',
  nameOf: (name) => `Neuer Name von ${name}`,
  save: commonStrings.save,
  cancel: commonStrings.cancel,
  makeHome: 'Zum Zuhause machen',
  revoke: 'Trennen',
  reallyRevoke: 'Endgültig trennen',
  connect: 'Weiteren Browser verbinden',
  link: 'Öffne diesen Link dort einmal. Er gilt eine Stunde lang:',
  outside: 'Öffne auf einem anderen Gerät diesen Link, oder scanne den Code:',
  noOutside:
    'Browser auf anderen Geräten brauchen https: Starte den Server neu mit tabd serve --via-tab --listen --https.',
  code: 'QR-Code des Links',
};
