import type { Host } from '#core/host';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { TextService } from './text-service.ts';

/** What the routes of document 1 work with. */
export interface LocalModels {
  host: Pick<Host, 'capabilities' | 'clock' | 'languageEngines' | 'log' | 'machine' | 'prebuilt' | 'setting'>;
  registry: ModelRegistry;
  text: TextService;
}
