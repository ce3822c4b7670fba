import type { LocatedFile } from '#core/host';
import type { Installation } from '../../install/install.ts';
import type { Layer } from '../../manifest/manifest.ts';
import type { ModelTexts } from '../../manifest/model-texts.ts';

/** All of a model, as one source has it. */
export interface Offer {
  /** Where it is, for people: an address, a repository, a package. */
  origin: string;
  files: LocatedFile[];
  texts: ModelTexts;
  /** Other formats of the same name that are installed stay. */
  beside?: boolean;
  /** The name of the licence, where the source tells. */
  licence?: string;
  /** Of a source with manifests. */
  manifest?: Installation['manifest'];
  /** Layers that are here already because they are the texts. */
  textLayers?: { layer: Layer; bytes: Uint8Array }[];
}

export interface Source {
  /** For messages. */
  name: string;
  /** undefined: this source does not have the model. Throws when it cannot be asked. */
  find(signal: AbortSignal): Promise<Offer | undefined>;
}

/** A source was reached and cannot give the model; `message` says why and what to do. */
export class SourceRefused extends Error {
  override name = 'SourceRefused';
}
