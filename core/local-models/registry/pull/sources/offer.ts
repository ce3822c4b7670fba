import type { LocatedFile } from '#core/host';
import type { Installation } from '../../install/installation.ts';
import type { Layer } from '../../manifest/manifest.ts';
import type { ModelTexts } from '../../manifest/model-texts.ts';

/** A model that a source can deliver. */
export interface Offer {
  /** The place of the source in messages: an address, a repository or a package. */
  origin: string;
  files: LocatedFile[];
  texts: ModelTexts;
  /** Whether installed variants of the name in other formats remain. */
  keepsOtherVariants?: boolean;
  /** The name of the licence, if the source states one. */
  licence?: string;
  /** The model's manifest, if the source has manifests. */
  manifest?: Installation['manifest'];
  /** The layers of the texts, which were loaded to read the texts. */
  textLayers?: { layer: Layer; bytes: Uint8Array }[];
}

/** A place that a model can be pulled from. */
export interface ModelSource {
  /** The name of the source in messages. */
  name: string;
  /**
   * Undefined: the source does not have the model.
   * @throws SourceRefused, ConnectionError, HttpStatusError, or the reason of `signal`
   */
  find(signal: AbortSignal): Promise<Offer | undefined>;
}

/** The source cannot deliver the model. The message says why, and what to do. */
export class SourceRefused extends Error {
  override name = 'SourceRefused';
}
