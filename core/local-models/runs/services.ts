import type { Host } from '#core/host';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { TextService } from './text-service.ts';

/** What the routes of document 1 work with. */
export interface LocalModels {
  host: Pick<Host, 'clock' | 'languageEngines' | 'log' | 'machine' | 'platform' | 'prebuilt' | 'setting'>;
  registry: ModelRegistry;
  text: TextService;
}
