/** Installed models and their metadata, as all parts of the room see them. */
import type { ModelFile, ModelFormat } from '#core/host';
import type { Message } from './messages.ts';
import type { ModelOptions } from './model-options.ts';

/** A parsed model reference (ollama.md section 14). */
export interface ModelName {
  host: string;
  namespace: string;
  model: string;
  tag: string;
}

/** GGUF metadata as far as the core needs it; `keyValues` keeps everything for `/api/show`. */
export interface ModelMetadata {
  architecture: string;
  /** `general.file_type` as ollama prints it: `Q4_1`, `Q4_K_M`, `F16`. */
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
  /** It draws, and does nothing else. */
  makesImages?: true;
  /** Key -> value in file order; 64-bit integers as bigint where they do not fit a number. */
  keyValues: [string, unknown][];
  tensors: { name: string; type: string; shape: number[] }[];
}

export type Capability =
  | 'completion'
  | 'tools'
  | 'insert'
  | 'vision'
  | 'audio'
  | 'embedding'
  | 'thinking'
  | 'image';

/** What a model's config layer says of it; where it is silent, the model file tells. */
export interface ModelConfig {
  family?: string;
  families?: string[];
  /** As it is printed: `134.52M`. */
  parameterSize?: string;
  quantization?: string;
  /** Names of built-in renderers and parsers: what stands for them here is told in `prompting/`. */
  renderer?: string;
  parser?: string;
  /** The lowest version that runs it. */
  requires?: string;
  /** Besides those that file and template show. */
  capabilities?: string[];
}

/** One installed model, whole: written last, so that seeing it means having it. */
export interface InstalledModel {
  name: ModelName;
  /** sha256 of the manifest, hex without prefix. */
  digest: string;
  /** The manifest, byte for byte as it is hashed and pushed. Models installed before it was kept have none. */
  manifest?: string;
  /** Sum of all layers, bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  format: ModelFormat;
  files: ModelFile[];
  /** Layers of text set at create or pull. */
  template?: string;
  system?: string;
  licences: string[];
  parameters: ModelOptions;
  /** Parameters that nothing reads, unknown ones or of a wrong type: shown, and kept by models made from this one. */
  otherParameters?: Record<string, unknown>;
  messages: Message[];
  parentModel?: string;
  config?: ModelConfig;
  /** Where it is when its folder is only read: it cannot be deleted. */
  readOnlyIn?: string;
  /** Which source it came from, for people: a URL, a hub repository, a package. */
  origin: string;
  capabilities: Capability[];
  /** The same name in other formats, installed too: of all of them this is the one that runs best here. */
  variants?: InstalledVariant[];
}

export type InstalledVariant = Omit<InstalledModel, 'name' | 'variants'>;
