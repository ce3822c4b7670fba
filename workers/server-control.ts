import type { ModelRegistry, TextService } from '#core/local-models';
import type { ServerControl } from '#relay';
import type { BridgeParts } from './bridge-parts.ts';
import type { Consents } from './consents.ts';

export interface ServerControlParts {
  text: Pick<TextService, 'loaded'>;
  registry: Pick<ModelRegistry, 'importFiles'>;
  consents: Consents;
  bridge: () => Promise<BridgeParts>;
}

/** The functions that the pages of the app call through comlink. */
export function createServerControl({ text, registry, consents, bridge }: ServerControlParts): ServerControl {
  return {
    async devices() {
      return Object.fromEntries(text.loaded().map(({ name, device }) => [name, device]));
    },
    async onConsent(page) {
      consents.add(page);
    },
    async importFiles(name, files, onLine, stop) {
      const abort = new AbortController();
      stop.onmessage = () => abort.abort(new DOMException('the import was stopped', 'AbortError'));
      const sources = files.map((file) => ({
        name: file.name,
        size: file.size,
        stream: () => file.stream(),
      }));
      for await (const line of registry.importFiles(name, sources, abort.signal)) await onLine(line);
    },
    async bridge(link) {
      (await bridge()).bridge.connect(link);
    },
    async battery(battery) {
      (await bridge()).reporter.battery = battery;
    },
  };
}
