import { browserStrings as strings } from '../strings/browsers.ts';
import type { ConnectedBrowser } from './browser-list.ts';

/** The known facts about a connected browser and its work, in words. */
export function browserFacts(browser: ConnectedBrowser): string[] {
  const { state, requests, device, cores, memory, battery, models, loaded } = browser;
  if (state === 'away') return [];
  return [
    requests > 0 ? strings.requests(requests) : '',
    device ?? '',
    cores ? strings.threads(cores) : '',
    memory ? strings.memory(Math.round(memory / 2 ** 30)) : '',
    battery ? strings.battery(Math.round(battery.level * 100), battery.charging) : '',
    models ? strings.models(models.length) : '',
    loaded.length > 0 ? strings.loaded(loaded) : '',
  ].filter((fact) => fact !== '');
}
