export {
  type BlobInfo,
  BlobMissing,
  type Blobs,
  type Digest,
  DigestMismatch,
  type PartialBlob,
  StorageFull,
} from './blobs.ts';
export type { HostCapabilities } from './capabilities.ts';
export {
  deserializeEngineError,
  type EngineErrorKind,
  type SerializedEngineError,
} from './engine-failure.ts';
export {
  type FileInfo,
  FileMissing,
  type FilePath,
  type Files,
  type FileWriter,
  pathParts,
} from './files.ts';
export {
  type Clock,
  ConnectionNotAllowed,
  type DownloadConsent,
  type FileSource,
  type Host,
  type LocatedFile,
  type LocatedModel,
  type Log,
  type Machine,
  type ModelFolder,
  type ModelFolderEntry,
  type Network,
  type NetworkRules,
  type PrebuiltModel,
  type WeightSource,
} from './host.ts';
export type { CodecFile, CodecFiles } from './image-codecs.ts';
export type { Keys } from './keys.ts';
export {
  ContextExceeded,
  type Device,
  type Embeddings,
  type EmbedOptions,
  type EngineCounts,
  EngineCrashed,
  EngineError,
  type EngineEvent,
  type GenerateRequest,
  type LanguageEngine,
  type LanguageModel,
  type LoadOptions,
  MEDIA_MARKER,
  ModelCorrupt,
  type ModelFile,
  type ModelFormat,
  ModelUnsupported,
  OutOfMemory,
  RequestRefused,
  type Sampling,
  type TokenLogprob,
} from './language-engine.ts';
export {
  type DecodedFrame,
  type MediaCodecs,
  type MediaFile,
  MediaUnavailable,
  MediaUnreadable,
  type Mp3Options,
  type PcmAudio,
  type VideoCodec,
  type VideoToEncode,
  type VideoTrack,
} from './media-codecs.ts';
export type { Doc, ListQuery, RecordChange, RecordCollection, Records, RecordsSchema } from './records.ts';
export { recordsSchema } from './records-schema.ts';
export type { SandboxPort, SandboxThread, SandboxThreads } from './sandbox.ts';
export type {
  FileEdit,
  GraphFile,
  NamedGraphFile,
  Tensor,
  TensorEngine,
  TensorOpenOptions,
  TensorProvider,
  TensorSession,
  TensorSlot,
  TensorType,
} from './tensor-engine.ts';
