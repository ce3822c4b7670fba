import type { Host, ModelFile } from '#core/host';
import type { InstalledModel, ModelConfig, ModelName } from '../../base/installed-model.ts';
import type { MetadataCache } from '../formats/metadata-cache.ts';
import type { InstalledModels } from '../installed/installed-models.ts';
import type { Layer } from '../manifest/manifest.ts';
import type { ModelTexts } from '../manifest/model-texts.ts';

/** The model that a new one is derived from. */
export interface BaseModel {
  model: InstalledModel;
  layers: Layer[];
}

/** A model to install: its files are stored, its texts are not. */
export interface Installation {
  name: ModelName;
  origin: string;
  files: ModelFile[];
  /** The texts that are set now. The others come from `base`. */
  texts: ModelTexts;
  /** All members of the messages, of which `texts` has those that tabd reads. */
  rawMessages?: Record<string, unknown>[];
  base?: BaseModel;
  /** The manifest and config that the model came with, byte for byte; all its layers are stored. Default: new ones. */
  manifest?: { text: string; config: string };
  /** Overrides the facts of the files. */
  config?: ModelConfig;
  /** Whether installed variants of the name in other formats remain. */
  keepsOtherVariants?: boolean;
  /** Whether progress has a line for each layer, as Ollama's create does. */
  reportsLayers?: boolean;
}

export interface InstallContext {
  host: Pick<Host, 'clock' | 'blobs' | 'setting'>;
  models: InstalledModels;
  metadata: MetadataCache;
}
