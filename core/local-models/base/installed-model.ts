/** Installed models and the metadata of their files. */
import type { ModelFile, ModelFormat } from '#core/host';
import type { Message } from './messages.ts';
import type { ModelOptions } from './model-options.ts';

/** A parsed model reference: `registry.ollama.ai/library/smollm2:135m`. */
export interface ModelName {
  host: string;
  namespace: string;
  model: string;
  tag: string;
}

/** Metadata of a model's file. `keyValues` holds all of it for `/api/show`, the other fields what the code reads. */
export interface ModelMetadata {
  architecture: string;
  /** `general.file_type` as Ollama prints it: `Q4_1`, `Q4_K_M`, `F16`. */
  quantization: string;
  parameterCount: number;
  contextLength: number;
  embeddingLength: number;
  chatTemplate?: string;
  bosToken?: string;
  eosToken?: string;
  addBos: boolean;
  poolingType?: number;
  hasVision: boolean;
  /** The model takes audio in a chat. */
  hasAudio?: boolean;
  /** The model generates images and nothing else. */
  makesImages?: true;
  /** The model writes speech down and does nothing else. */
  hears?: true;
  /** The model says texts aloud and does nothing else. */
  speaks?: true;
  /** Keys and values in file order. 64-bit integers are bigints where a number cannot hold them. */
  keyValues: [string, unknown][];
  tensors: { name: string; type: string; shape: number[] }[];
}

/** A use of a model, as `/api/show` lists it. */
export type Capability =
  | 'completion'
  | 'tools'
  | 'insert'
  | 'vision'
  | 'audio'
  | 'embedding'
  | 'thinking'
  | 'image'
  | 'speech';

/** A model's config layer. A field that it lacks is read from the model file. */
export interface ModelConfig {
  family?: string;
  families?: string[];
  /** The number of parameters as text, such as `134.52M`. */
  parameterSize?: string;
  quantization?: string;
  /** Names of renderers and parsers that are built into Ollama. The folder `prompting` has replacements for them. */
  renderer?: string;
  parser?: string;
  /** The lowest version of Ollama that runs the model. */
  requires?: string;
  /** In addition to those that the file and the template show. */
  capabilities?: string[];
}

/** An installed model. Its record is written last, so that a model with a record is complete. */
export interface InstalledModel {
  name: ModelName;
  /** sha256 of the manifest, hex without prefix. */
  digest: string;
  /** The manifest's bytes, as they are hashed and pushed. Absent for models that an older version installed. */
  manifest?: string;
  /** Sum of all layers in bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  format: ModelFormat;
  files: ModelFile[];
  /** Text layers, set when the model is created or pulled. */
  template?: string;
  system?: string;
  licences: string[];
  parameters: ModelOptions;
  /** Parameters that are unknown or of a wrong type. They are shown, and models created from this one inherit them. */
  otherParameters?: Record<string, unknown>;
  messages: Message[];
  parentModel?: string;
  config?: ModelConfig;
  /** The read-only folder that the model lies in. Such a model cannot be deleted. */
  readOnlyIn?: string;
  /** The source it came from, to be shown: a URL, a hub repository, a package. */
  origin: string;
  capabilities: Capability[];
  /** The same name installed in other formats. The model itself is the variant that runs best on this device. */
  variants?: InstalledVariant[];
}

/** A further format of an installed model. */
export type InstalledVariant = Omit<InstalledModel, 'name' | 'variants'>;
