import type { Host } from '#core/host';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { TextService } from './text-service.ts';

/** Everything that the handlers of native routes and dialects work with. */
export interface LocalModelServices {
  host: Pick<
    Host,
    'capabilities' | 'clock' | 'languageEngines' | 'log' | 'machine' | 'mediaCodecs' | 'prebuilt' | 'setting'
  >;
  registry: ModelRegistry;
  textService: TextService;
}
